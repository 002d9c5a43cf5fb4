// Package gen generates schemas, objects and definitions from a sequence of choices.
//
// Each function takes a [Source], which makes the choices: at random from a seed, or from the bytes of a fuzzer. The
// choice 0 is always the simplest one, and ends repetitions, so that an exhausted source makes small values.
//
// The results are maps, lists and scalars, as decoders return them. In schemas, numbers are json.Number where their
// text matters (1.0 is not 1).
package gen
