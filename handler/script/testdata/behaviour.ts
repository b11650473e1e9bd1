export interface Behaviour { case: string; kind: "says" | "obeys" | "deaf"; text?: string; size?: number; probe?: string }
