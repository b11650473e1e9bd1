package script

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/md5"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"strings"
)

// digests are the hashes of node:crypto, by their names in lower case and without -.
var digests = map[string]func() hash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New, "sha512256": sha512.New512_256, "sha512224": sha512.New512_224,
	"sha3224": func() hash.Hash { return sha3.New224() }, "sha3256": func() hash.Hash { return sha3.New256() }, "sha3384": func() hash.Hash { return sha3.New384() }, "sha3512": func() hash.Hash { return sha3.New512() },
}

func digestOf(name string) func() hash.Hash {
	name = strings.TrimPrefix(strings.ToLower(name), "rsa-")
	return digests[strings.NewReplacer("-", "", "/", "", "_", "").Replace(name)]
}

func wrong(code, text string) any { return map[string]string{"error": text, "code": code} }

// digest hashes bytes, with a key if one is given.
func digest(_ *machine, args []json.RawMessage) (any, error) {
	fresh := digestOf(str(args, 0))
	if fresh == nil {
		return wrong("ERR_OSSL_EVP_UNSUPPORTED", "Digest method not supported"), nil
	}
	data, err := bytesAt(args, 1)
	if err != nil {
		return nil, err
	}
	h := fresh()
	if len(args) > 2 && string(args[2]) != "null" {
		key, err := bytesAt(args, 2)
		if err != nil {
			return nil, err
		}
		h = hmac.New(fresh, key)
	}
	_, _ = h.Write(data) // it never fails
	return map[string]any{"value": h.Sum(nil)}, nil
}

const (
	maxRounds  = 10_000_000
	maxDerived = 1 << 20
)

// derive makes a key of a password, or of another key.
func derive(_ *machine, args []json.RawMessage) (any, error) {
	var rounds, size int
	if len(args) < 6 || json.Unmarshal(args[3], &rounds) != nil || json.Unmarshal(args[4], &size) != nil || size < 0 || size > maxDerived || rounds > maxRounds {
		return wrong("ERR_OUT_OF_RANGE", "the iterations or the length of the key are out of range"), nil
	}
	fresh := digestOf(str(args, 5))
	if fresh == nil {
		return wrong("ERR_CRYPTO_INVALID_DIGEST", "Invalid digest: "+str(args, 5)), nil
	}
	secret, err := bytesAt(args, 1)
	if err != nil {
		return nil, err
	}
	salt, err := bytesAt(args, 2)
	if err != nil {
		return nil, err
	}
	var key []byte
	if str(args, 0) == "hkdf" {
		info, bad := bytesAt(args, 6)
		if bad != nil {
			return nil, bad
		}
		key, err = hkdf.Key(fresh, secret, salt, string(info), size)
	} else {
		key, err = pbkdf2.Key(fresh, string(secret), salt, rounds, size)
	}
	if err != nil {
		return wrong("ERR_CRYPTO_OPERATION_FAILED", err.Error()), nil
	}
	return map[string]any{"value": key}, nil
}

// maxUnpacked bounds what is unpacked.
const maxUnpacked = 32 << 20

// squeeze packs and unpacks, as node:zlib does.
func squeeze(_ *machine, args []json.RawMessage) (any, error) {
	data, err := bytesAt(args, 1)
	if err != nil {
		return nil, err
	}
	level := -1
	if len(args) > 2 {
		_ = json.Unmarshal(args[2], &level) // none is the usual one
	}
	if level < -1 || level > 9 {
		return wrong("ERR_OUT_OF_RANGE", fmt.Sprintf(`The value of "options.level" is out of range. It must be >= -1 and <= 9. Received %d`, level)), nil
	}
	if str(args, 0) == "crc32" {
		return map[string]any{"value": crc32.Update(uint32(max(0, level)), crc32.IEEETable, data)}, nil
	}
	out, err := squeezed(str(args, 0), data, level)
	if str(args, 0) == "gunzip" && len(data) > 1 && !bytes.HasPrefix(data, gzipped) {
		err = gzip.ErrHeader
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return wrong("Z_BUF_ERROR", "unexpected end of file"), nil
	case errors.Is(err, errTooLong):
		return wrong("ERR_BUFFER_TOO_LARGE", err.Error()), nil
	case err != nil:
		return wrong("Z_DATA_ERROR", "incorrect header check"), nil
	}
	return map[string]any{"value": out}, nil
}

var gzipped = []byte{0x1f, 0x8b}

var errTooLong = fmt.Errorf("what is unpacked has more than %d MiB", maxUnpacked>>20)

func squeezed(kind string, data []byte, level int) ([]byte, error) {
	var out bytes.Buffer
	var to io.WriteCloser
	var err error
	switch kind {
	case "gzip":
		to, err = gzip.NewWriterLevel(&out, level)
	case "deflate":
		to, err = zlib.NewWriterLevel(&out, level)
	case "deflateRaw":
		to, err = flate.NewWriter(&out, level)
	default:
		return unpacked(kind, data)
	}
	if err != nil {
		return nil, err
	}
	_, err = to.Write(data)
	err = errors.Join(err, to.Close())
	return out.Bytes(), err
}

func unpacked(kind string, data []byte) ([]byte, error) {
	in := bytes.NewReader(data)
	if kind == "unzip" {
		kind = "inflate"
		if bytes.HasPrefix(data, gzipped) {
			kind = "gunzip"
		}
	}
	var from io.ReadCloser
	var err error
	switch kind {
	case "gunzip":
		from, err = gzip.NewReader(in)
	case "inflate":
		from, err = zlib.NewReader(in)
	default:
		from = flate.NewReader(in)
	}
	if err != nil {
		return nil, err
	}
	defer from.Close()
	out, err := io.ReadAll(io.LimitReader(from, maxUnpacked+1))
	if err == nil && len(out) > maxUnpacked {
		err = errTooLong
	}
	return out, err
}
