package daemon

import (
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestMappingsOfAProgramThatHoldNothingElse(t *testing.T) {
	const smaps = `00400000-06a3e000 r-xp 00000000 fe:00 1312 /usr/bin/hookway
Size:             104696 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me sd
06a3e000-06b00000 r--p 0663e000 fe:00 1312 /usr/bin/hookway
Anonymous:             4 kB
06b00000-06c00000 rw-p 06700000 fe:00 1312 /usr/bin/hookway
Anonymous:             0 kB
7f0000000000-7f0000001000 r-xp 00000000 fe:00 77 /usr/lib/x y.so
Anonymous:             0 kB
7f0000001000-7f0000002000 r--p 00000000 00:00 0
Anonymous:             0 kB
7f0000002000-7f0000003000 r--p 00001000 fe:00 1312 /usr/bin/hookway (deleted)
Anonymous:             0 kB
`
	for file, want := range map[string][]mapping{
		"/usr/bin/hookway":           {{0x400000, 0x6a3e000}},
		"/usr/bin/hookway (deleted)": {{0x7f0000002000, 0x7f0000003000}},
		"/usr/lib/x y.so":            {{0x7f0000000000, 0x7f0000001000}},
		"":                           nil,
	} {
		if got := mappingsOf(strings.NewReader(smaps), file); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %x, want %x", file, got, want)
		}
	}
}

// TestTheProgramIsForgottenAndGoesOn: what this process holds of its file shrinks.
func TestTheProgramIsForgottenAndGoesOn(t *testing.T) {
	before := ofFiles(t)
	forgetProgram()
	if after := ofFiles(t); after >= before {
		t.Errorf("the process holds %d KiB of files, and held %d; want fewer", after, before)
	}
}

// ofFiles is how much of files this process holds, in KiB.
func ofFiles(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssFile:")
	text, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
