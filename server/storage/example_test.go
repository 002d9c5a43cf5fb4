package storage_test

import (
	"context"
	"fmt"
	"log"

	"github.com/crdkit/crdkit/server/storage"
)

func ExampleNewMemory() {
	ctx := context.Background()
	m := storage.NewMemory(storage.MemoryOptions{})
	defer m.Close()
	watch, err := m.Watch(ctx, "/widgets/", 1)
	if err != nil {
		log.Fatal(err)
	}
	defer watch.Close()
	revision, err := m.Create(ctx, "/widgets/a", []byte("one"))
	if err != nil {
		log.Fatal(err)
	}
	_, err = m.Update(ctx, "/widgets/a", []byte("two"), revision-1)
	fmt.Println(err)
	changes, err := watch.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range changes.Events {
		fmt.Println(e.Key, string(e.Value))
	}
	// Output:
	// the key has another revision
	// /widgets/a one
}
