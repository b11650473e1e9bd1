package relay

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hookway/hookway/internal/disk"
)

// maxAttached bounds a file that is read for its sum.
const maxAttached = 1 << 30

// Attach describes a file, for [Message.Attachments]. The file stays where it is;
// the sum lets the receiver see whether it is the same still.
func Attach(path string) (Attachment, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Attachment{}, fmt.Errorf("%s cannot be attached: %w", path, err)
	}
	// A pipe would be waited for without end: it is not opened.
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Attachment{}, fmt.Errorf("%s cannot be attached: %w", abs, noFile{})
	case err != nil:
		return Attachment{}, fmt.Errorf("%s cannot be attached: %w", abs, disk.Cause(err))
	case info.IsDir():
		return Attachment{}, fmt.Errorf("%s cannot be attached: it is a folder; attach its files, or an archive of it", abs)
	case !info.Mode().IsRegular():
		return Attachment{}, fmt.Errorf("%s cannot be attached: it is not a regular file", abs)
	case info.Size() > maxAttached:
		return Attachment{}, tooLarge(abs)
	}
	f, err := disk.Open(abs)
	if err != nil {
		return Attachment{}, fmt.Errorf("%s cannot be attached: %w", abs, disk.Cause(err))
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(f, maxAttached+1))
	if n > maxAttached { // it grows
		return Attachment{}, tooLarge(abs)
	}
	if err != nil {
		return Attachment{}, fmt.Errorf("%s cannot be attached: %w", abs, err)
	}
	return Attachment{Name: filepath.Base(abs), Path: abs, Size: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

func tooLarge(path string) error {
	return fmt.Errorf("%s cannot be attached: it has more than %d MiB; name its path in the text", path, maxAttached>>20)
}

// noFile is fs.ErrNotExist in our own words.
type noFile struct{}

func (noFile) Error() string        { return "there is no such file" }
func (noFile) Is(target error) bool { return target == fs.ErrNotExist }
