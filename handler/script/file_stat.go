package script

import "io/fs"

// stated is what a file is, as Node's Stats have it.
func stated(info fs.FileInfo, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	at := float64(info.ModTime().UnixMicro()) / 1000
	s := map[string]any{
		"kind": kindOf(info.Mode().Type()), "size": info.Size(), "mode": modeOf(info.Mode()), "mtimeMs": at, "atimeMs": at, "ctimeMs": at, "birthtimeMs": at,
		"dev": 0, "ino": 0, "nlink": 1, "uid": 0, "gid": 0, "rdev": 0, "blksize": 4096, "blocks": (info.Size() + 511) / 512,
	}
	addSystem(s, info)
	return s, nil
}

// modeOf is a mode as Unix has it.
func modeOf(mode fs.FileMode) uint32 {
	kinds := map[string]uint32{"file": 0o100000, "folder": 0o040000, "link": 0o120000, "pipe": 0o010000, "socket": 0o140000, "device": 0o020000}
	bits := uint32(mode.Perm()) | kinds[kindOf(mode.Type())]
	for bit, own := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if mode&bit != 0 {
			bits |= own
		}
	}
	return bits
}
