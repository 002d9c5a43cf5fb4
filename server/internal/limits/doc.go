// Package limits has the parts of servers that limit what clients may use: a [Crowd] of connections or requests of which
// an idle one has to leave, a [Lane] for work up to a total weight, a [Listener] with a limited number of connections,
// and a log with a limited rate. Packages server and server/guard are built on it. It uses only the standard library.
package limits
