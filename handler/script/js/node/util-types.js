// node:util/types.
const tag = (v) => Object.prototype.toString.call(v).slice(8, -1);
const async = Object.getPrototypeOf(async () => {}).constructor, generator = Object.getPrototypeOf(function* () {}).constructor;
const is = (type) => (v) => v instanceof type;
export default {
  isPromise: is(Promise), isRegExp: is(RegExp), isDate: is(Date), isMap: is(Map), isSet: is(Set), isWeakMap: is(WeakMap), isWeakSet: is(WeakSet), isNativeError: is(Error),
  isArrayBuffer: is(ArrayBuffer), isAnyArrayBuffer: (v) => v instanceof ArrayBuffer || v instanceof SharedArrayBuffer, isSharedArrayBuffer: is(SharedArrayBuffer), isDataView: is(DataView), isArrayBufferView: ArrayBuffer.isView,
  isTypedArray: (v) => ArrayBuffer.isView(v) && !(v instanceof DataView), isUint8Array: is(Uint8Array), isUint16Array: is(Uint16Array), isUint32Array: is(Uint32Array), isInt8Array: is(Int8Array), isInt16Array: is(Int16Array), isInt32Array: is(Int32Array), isFloat32Array: is(Float32Array), isFloat64Array: is(Float64Array),
  isAsyncFunction: (v) => v instanceof async, isGeneratorFunction: (v) => v instanceof generator, isGeneratorObject: (v) => tag(v) === "Generator", isProxy: () => false,
  isBoxedPrimitive: (v) => v instanceof Number || v instanceof String || v instanceof Boolean, isNumberObject: is(Number), isStringObject: is(String), isBooleanObject: is(Boolean), isSymbolObject: (v) => typeof v === "object" && tag(v) === "Symbol", isMapIterator: (v) => tag(v) === "Map Iterator", isSetIterator: (v) => tag(v) === "Set Iterator", isArgumentsObject: (v) => tag(v) === "Arguments", isExternal: () => false, isModuleNamespaceObject: (v) => tag(v) === "Module", isKeyObject: () => false, isCryptoKey: () => false,
};
