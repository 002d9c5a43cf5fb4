// Package browsertest tests the playground in a real browser: Chromium, without a window. It is a module of its own, since it needs a driver.
//
//	cd examples/playground/browsertest && go test .
//
// Tests are skipped where no browser is found: it is the one that the variable CHROME names, or chromium, chromium-browser or google-chrome.
// Screenshots are in the folder that the variable PLAYGROUND_SCREENSHOTS names, and in a temporary one without it; -update renews the picture
// of the README.
package browsertest
