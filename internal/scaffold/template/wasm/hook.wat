;; HOOKNAME: a chmod that lets everybody write, as it is usually written, is refused.
;; The text of the command is compared, which is no wall.
;;
;; Which events come here is said by match: in hookway.yaml; this module refuses
;; them all. After a change: wat2wasm hooks/HOOKNAME.wat -o hooks/HOOKNAME.wasm
(module
  (memory (export "memory") 2)
  (data (i32.const 16) "{\"action\":\"block\",\"reason\":\"Give rights to those who need them, not to everybody.\"}")

  ;; Where an event may be written: behind the first page. There is one at a time,
  ;; and the memory grows when one is larger than ever.
  (func (export "hookway_alloc") (param $size i32) (result i32)
    (local $lacks i32)
    local.get $size
    i32.const 131071 ;; the first page, and what fills up the last
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

  ;; The answer: its place, and its length in the lower half. 0 would be no opinion.
  (func (export "hookway_handle") (param $at i32) (param $size i32) (result i64)
    i64.const 0x1000000053))
