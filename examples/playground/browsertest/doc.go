// Package browsertest tests the playground in a real browser, headless Chromium. It is a separate module because it
// needs a driver.
//
//	cd examples/playground/browsertest && go test .
//
// The browser is that of the environment variable CHROME, or else chromium, chromium-browser or google-chrome. Without
// a browser, tests are skipped; without npm, axe-core is. Screenshots are written to the directory of the environment
// variable PLAYGROUND_SCREENSHOTS, or to a temporary directory; -update updates the picture in the README.
package browsertest
