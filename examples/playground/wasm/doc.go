// Command wasm is the program that runs in the page's worker. It provides package engine as the JavaScript function
// crdkit(question), which returns an answer. The worker calls its function crdkitCollect after each answer to collect
// garbage, which otherwise happens only above 256 MiB.
package main
