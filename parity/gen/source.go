package gen

import "math/rand/v2"

// A Source makes choices.
type Source struct {
	random *rand.Rand
	bytes  []byte
}

// Seeded returns the source for one of the cases of a seed.
func Seeded(seed, number uint64) *Source {
	return &Source{random: rand.New(rand.NewPCG(seed, number))}
}

// Bytes returns a source that takes a byte of b for each choice among up to 256, and two for one among more.
func Bytes(b []byte) *Source { return &Source{bytes: b} }

// Intn chooses a number from 0 to n-1.
func (s *Source) Intn(n int) int {
	if s.random != nil {
		return s.random.IntN(n)
	}
	v := s.byte()
	if n > 256 {
		v = v<<8 | s.byte()
	}
	return v % n
}

func (s *Source) byte() int {
	if len(s.bytes) == 0 {
		return 0
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return int(b)
}

// OneIn reports true in one of n cases, and never if the choice is 0.
func (s *Source) OneIn(n int) bool { return s.Intn(n) == n-1 }

// Pick chooses one of the values.
func Pick[T any](s *Source, values []T) T { return values[s.Intn(len(values))] }
