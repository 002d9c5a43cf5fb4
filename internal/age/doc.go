// Package age prints how long ago something was, as tables of a server do.
package age
