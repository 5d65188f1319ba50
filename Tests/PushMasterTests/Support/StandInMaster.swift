import CPushShims
import Foundation
import Glibc
import Logging
import PushMaster
import PushWire
import Synchronization
import Testing

/// A control socket with a handle behind it and, if the story wants one, a loop that answers.
final class StandInMaster: Sendable {
    let storePath: String
    let handle: MasterHandle
    let server: ControlServer
    let log = RememberedLog()
    private let mail: Mailbox<LoopEvent>
    private let events = Mutex<[String]>([])
    private let isStopping = Mutex(false)

    static let status = MasterStatus(
        pid: 1, uptimeSeconds: 2, state: "running", unrecorded: 3, waitingRanges: 4, children: [],
        accounts: [])

    init(in folder: String, mark: String? = "mark", clientSeconds: Int64 = ControlServer.clientSeconds) throws
    {
        storePath = folder + "/store"
        mail = try Mailbox()
        handle = MasterHandle(loop: mail)
        server = try ControlServer(
            besideStore: storePath, of: handle,
            mark: mark.map { text -> (@Sendable () -> String) in { text } }, logger: log.logger,
            clientSeconds: clientSeconds)
    }

    /// What the loop was told: `nudge`, `status`.
    var told: [String] { events.withLock { $0 } }

    /// A loop that publishes when it is asked, after so long.
    func run(answeringAfter delay: useconds_t = 0, isSilent: Bool = false) -> OtherThread {
        handle.board.publish(Self.status)
        return OtherThread { [self] in
            while !isStopping.withLock({ $0 }) {
                for event in mail.wait(atMostMilliseconds: 10) {
                    switch event {
                    case .nudge: events.withLock { $0.append("nudge") }
                    case .statusWanted:
                        events.withLock { $0.append("status") }
                        if isSilent { continue }
                        usleep(delay)
                        handle.board.publish(Self.status)
                    default: break
                    }
                }
            }
        }
    }

    func stop() {
        isStopping.withLock { $0 = true }
        server.stop()
    }

    /// A client of a few bytes; closed by whoever asks for it.
    func client(_ text: String = "") throws -> Int32 {
        let client = unsafe push_unix_connect(ControlSocket.path(besideStore: storePath), 10_000)
        try #require(client >= 0)
        if !text.isEmpty {
            let bytes = Array(text.utf8)
            #expect(unsafe push_send(client, bytes, bytes.count) == bytes.count)
        }
        return client
    }

    /// All that the other side says until it closes.
    static func rest(of client: Int32) -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = unsafe read(client, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += buffer[..<count]
        }
    }
}
