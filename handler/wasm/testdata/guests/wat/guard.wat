;; A guard: an event that has "rm -rf" anywhere in it is blocked.
(module
  (memory (export "memory") 2)
  (data (i32.const 16) "rm -rf")
  (data (i32.const 32) "{\"action\":\"block\",\"reason\":\"rm -rf is not for agents\"}")

  ;; Events are written after the first page. There is one at a time, so that the
  ;; place is always the same; the memory grows when an event is larger than ever.
  (func (export "hookway_alloc") (param $size i32) (result i32)
    (local $lacks i32)
    local.get $size
    i32.const 65536
    i32.add
    i32.const 65551 ;; 16 bytes behind it are looked at
    i32.add
    i32.const 16
    i32.shr_u
    memory.size
    i32.sub
    local.tee $lacks
    i32.const 0
    i32.gt_s
    if
      local.get $lacks
      memory.grow
      i32.const -1
      i32.eq
      if
        i32.const 0
        return
      end
    end
    i32.const 65536)

  (func (export "hookway_handle") (param $at i32) (param $size i32) (result i64)
    (local $end i32)
    ;; What is behind the event may be of an earlier one.
    local.get $at
    local.get $size
    i32.add
    i32.const 0
    i32.store offset=0
    local.get $at
    local.get $size
    i32.add
    i32.const 0
    i32.store offset=4
    local.get $at
    local.get $size
    i32.add
    i32.const 0
    i32.store offset=8
    local.get $at
    local.get $size
    i32.add
    i32.const 0
    i32.store offset=12
    local.get $at
    local.get $size
    i32.add
    i32.const 5
    i32.sub
    local.set $end
    loop $next
      local.get $at
      local.get $end
      i32.ge_s
      if
        i64.const 0 ;; no opinion
        return
      end
      ;; Eight places in each turn: a turn, at which the guard may be stopped, costs more.
      local.get $at
      call $here
      if
        i64.const 0x2000000036 ;; the 54 bytes at 32
        return
      end
      local.get $at
      i32.const 1
      i32.add
      call $here
      if
        i64.const 0x2000000036 ;; the 54 bytes at 32
        return
      end
      local.get $at
      i32.const 2
      i32.add
      call $here
      if
        i64.const 0x2000000036 ;; the 54 bytes at 32
        return
      end
      local.get $at
      i32.const 3
      i32.add
      call $here
      if
        i64.const 0x2000000036 ;; the 54 bytes at 32
        return
      end
      local.get $at
      i32.const 4
      i32.add
      call $here
      if
        i64.const 0x2000000036 ;; the 54 bytes at 32
        return
      end
      local.get $at
      i32.const 5
      i32.add
      call $here
      if
        i64.const 0x2000000036 ;; the 54 bytes at 32
        return
      end
      local.get $at
      i32.const 6
      i32.add
      call $here
      if
        i64.const 0x2000000036 ;; the 54 bytes at 32
        return
      end
      local.get $at
      i32.const 7
      i32.add
      call $here
      if
        i64.const 0x2000000036 ;; the 54 bytes at 32
        return
      end
      local.get $at
      i32.const 8
      i32.add
      local.set $at
      br $next
    end
    unreachable)

  ;; Is it at this place? The first four bytes are compared at once, then two.
  (func $here (param $at i32) (result i32)
    local.get $at
    i32.load
    i32.const 16
    i32.load
    i32.ne
    if
      i32.const 0
      return
    end
    local.get $at
    i32.load8_u offset=4
    i32.const 114 ;; r
    i32.eq
    local.get $at
    i32.load8_u offset=5
    i32.const 102 ;; f
    i32.eq
    i32.and))
