// Dist makes the files of a release from built programs: an archive for each platform, with completions and the manual
// page, a list of the modules in each program, checksums, and what package managers need. .ci/release runs it.
//
//	go run ./cmd/crdkit/internal/dist -version v0.1.0 -date 2026-01-02T15:04:05Z -bin bin -out dist
//
// bin has the programs, as linux_amd64/crdkit and windows_arm64/crdkit.exe. The same programs and the same version of
// Go give the same bytes.
package main
