package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ManagedDir is where an administrator keeps what holds for all users of a machine; "" if
// Windows does not say. No variable says it: an agent could set one.
func ManagedDir() string {
	dir, err := windows.KnownFolderPath(windows.FOLDERID_ProgramData, windows.KF_FLAG_DEFAULT)
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "hookway")
}

// CheckManaged finds files that others than an administrator could have written, or put in
// the place of his: the file, and its folder.
func CheckManaged(path string, _ fs.FileInfo) error {
	for _, p := range []string{filepath.Dir(path), path} {
		if err := checkAdministrators(p); err != nil {
			return fmt.Errorf("%s: %w; give it to Administrators, and let nobody else write it (icacls)", p, err)
		}
	}
	return nil
}

// writes are the rights by which a file, or what lies in a folder, can be made another.
const writes = windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.FILE_WRITE_EA | windows.FILE_WRITE_ATTRIBUTES | fileDeleteChild |
	windows.DELETE | windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_WRITE | windows.GENERIC_ALL

const fileDeleteChild = 0x40

// trustedInstaller is who Windows itself installs by.
const trustedInstaller = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"

func checkAdministrators(path string) error {
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("who may write it cannot be found out: %w", err)
	}
	owner, _, err := sd.Owner()
	if err != nil || !administers(owner) {
		return errors.New("it does not belong to Administrators")
	}
	list, _, err := sd.DACL()
	if err != nil || list == nil { // no list lets everybody
		return errors.New("everybody may write it")
	}
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return fmt.Errorf("who may write it cannot be found out: %w", err)
		}
		if entry.Header.AceType == windows.ACCESS_DENIED_ACE_TYPE || entry.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 || entry.Mask&writes == 0 {
			continue
		}
		if entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE || !administers((*windows.SID)(unsafe.Pointer(&entry.SidStart))) {
			return errors.New("others than Administrators may write it")
		}
	}
	return nil
}

// administers reports whether an account is one of those that administer the machine.
func administers(sid *windows.SID) bool {
	return sid.IsWellKnown(windows.WinBuiltinAdministratorsSid) || sid.IsWellKnown(windows.WinLocalSystemSid) || sid.String() == trustedInstaller
}
