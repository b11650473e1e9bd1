package main

import _ "time/tzdata" // Windows has no time zones that Intl of scripts could use
