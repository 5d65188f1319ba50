internal import CPushShims
internal import FoundationEssentials
internal import Glibc
package import PushWire

/// How the command line speaks to a running master.
package enum ControlClient {
    /// Tells the master, if one runs, that there is new work. Without it the master finds the work at its next poll,
    /// so a failure is none.
    package static func nudge(storePath: String) {
        _ = ask(.nudge, storePath: storePath)
    }

    /// What the master is busy with; nil where none runs.
    package static func status(storePath: String) throws(MasterError) -> MasterStatus? {
        guard try InstanceLock.isHeld(besideStore: storePath) else { return nil }
        let path = ControlSocket.path(besideStore: storePath)
        guard let answer = ask(.status, storePath: storePath), !answer.isEmpty else {
            throw .system(what: "ask the master at", path: path, errorNumber: errno)
        }
        do { return try JSONDecoder().decode(MasterStatus.self, from: Data(answer)) } catch {
            throw .system(what: "understand the answer of the master at", path: path, errorNumber: EPROTO)
        }
    }

    private static func ask(_ request: ControlSocket.Request, storePath: String) -> [UInt8]? {
        let socket = unsafe push_unix_connect(ControlSocket.path(besideStore: storePath))
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        ControlSocket.limit(socket, milliseconds: 10_000)
        ControlSocket.writeAll(Array((request.rawValue + "\n").utf8), to: socket)
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe read(socket, &buffer, buffer.count)
            if count == 0 { return answer }
            guard count > 0 else { return nil }
            answer += buffer[..<count]
        }
    }
}
