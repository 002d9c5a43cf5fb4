"use strict";
// Answers each line of standard input with a line. A schema is compiled, and objects are validated by it; a pattern is
// compiled as ajv does, and its matches are reported.
const readline = require("node:readline");
const addFormats = require("ajv-formats");
const drafts = { "draft-07": require("ajv"), "2020-12": require("ajv/dist/2020") };

function answer({ draft, schema, objects, pattern, texts }) {
	if (pattern !== undefined) {
		const expression = new RegExp(pattern, "u");
		return { matches: texts.map((text) => expression.test(text)) };
	}
	const ajv = new drafts[draft]({ strict: false, logger: false, code: { optimize: false } });
	addFormats(ajv);
	const validate = ajv.compile(schema); // throws an error if the schema is invalid
	return { refused: (objects ?? []).map((object) => (validate(object) ? "" : ajv.errorsText(validate.errors))) };
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
	let result;
	try {
		result = answer(JSON.parse(line));
	} catch (err) {
		result = { error: String(err) };
	}
	process.stdout.write(JSON.stringify(result) + "\n");
});
