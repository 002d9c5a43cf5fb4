// Command wasm is the program that runs in the page's worker: package engine as a function of JavaScript, crdkit(question) answer.
package main
