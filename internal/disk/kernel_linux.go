package disk

import (
	"os"
	"slices"
	"syscall"
)

// madeUp are the file systems whose files the kernel makes up while they are read,
// by their magic numbers. All others are as good as any: a checkout may lie on
// overlayfs, 9p, FUSE, virtiofs or tmpfs.
var madeUp = []uint32{
	0x00009fa0, // proc
	0x62656572, // sysfs
	0x64626720, // debugfs
	0x74726163, // tracefs
	0x0027e0eb, // cgroup
	0x63677270, // cgroup2
	0x73636673, // securityfs
	0xf97cff8c, // selinuxfs
	0x43415d53, // smackfs
	0x5a3c69f0, // apparmorfs
	0xcafe4a11, // bpf
	0x6165676c, // pstore
	0xde5e81e4, // efivarfs
	0x62656570, // configfs
	0x19800202, // mqueue
	0x42494e4d, // binfmt_misc
	0x65735543, // fusectl
	0x00001cd1, // devpts
	0x6e736673, // nsfs
	0x00009fa2, // usbfs
	0x09041934, // anonymous inodes
	0x50494446, // pidfs
}

// madeByKernel reports whether an open file lies in a file system of the kernel's own.
func madeByKernel(f *os.File) bool {
	raw, err := f.SyscallConn()
	if err != nil {
		return true
	}
	var info syscall.Statfs_t
	var failed error
	err = raw.Control(func(fd uintptr) {
		for {
			if failed = syscall.Fstatfs(int(fd), &info); failed != syscall.EINTR {
				return
			}
		}
	})
	if err != nil || failed != nil {
		return false // as under a sandbox that does not allow to ask
	}
	return slices.Contains(madeUp, uint32(info.Type))
}
