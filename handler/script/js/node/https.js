// node:https.
import http from "node:http";
export default http.secure();
