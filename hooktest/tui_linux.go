package hooktest

import "syscall"

const getTermios, setTermios = syscall.TCGETS, syscall.TCSETS
