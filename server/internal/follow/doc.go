// Package follow keeps what a store has below a prefix up to date in memory, including what other servers write.
package follow
