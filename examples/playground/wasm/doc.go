// Command wasm is the program that runs in the page's worker: package engine as a function of JavaScript, crdkit(question) answer.
// Its function crdkitCollect collects garbage, which nothing else does before there are 256 MiB: the worker calls it after each answer.
package main
