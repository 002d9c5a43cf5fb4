package main

// equivalents are mutations that no test can notice, by their keys, and why: the behaviour is the same, but for speed or memory.
var equivalents = map[string]string{}
