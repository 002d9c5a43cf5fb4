package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"time"

	"go.etcd.io/bbolt"

	"github.com/crdkit/crdkit/server/storage"
)

// Items returns the values of the keys with a prefix, in byte order, from a file that no server has open. It ends with
// the first error.
func Items(file, prefix string) iter.Seq2[storage.Item, error] {
	return func(yield func(storage.Item, error) bool) {
		db, err := bbolt.Open(file, 0o400, &bbolt.Options{ReadOnly: true, Timeout: 2 * time.Second})
		if err != nil {
			yield(storage.Item{}, fmt.Errorf("%s: %w", file, err))
			return
		}
		defer db.Close()
		err = db.View(func(tx *bbolt.Tx) error {
			objects := tx.Bucket(objectsBucket)
			if objects == nil {
				return errors.New("this is not a file of the example server")
			}
			if err := checkForm(tx); err != nil {
				return err
			}
			c := objects.Cursor()
			for k, v := c.Seek([]byte(prefix)); bytes.HasPrefix(k, []byte(prefix)); k, v = c.Next() {
				item, err := itemOf(tx, k, v)
				if err != nil {
					return err
				}
				if !yield(item, nil) {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			yield(storage.Item{}, fmt.Errorf("%s: %w", file, err))
		}
	}
}
