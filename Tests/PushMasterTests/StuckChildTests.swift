import Foundation
import Logging
import PushConfig
import PushMaster
import PushModel
import PushStore
import PushWire
import ServiceLifecycle
import Synchronization
import Testing

/// A child that speaks and gets nothing done, against the real master: spawned by it, on its link, with its lock.
@Suite struct StuckChildTests {
    /// The first child beats for ever with messages in its hands. The next reports all of them as accepted, and beats
    /// until the story is over.
    private static let program = """
        cat "$0/hello" >&3
        if mkdir "$0/stuck" 2>/dev/null; then
            while cat "$0/busy" >&3; do sleep 0.1; done
        fi
        while [ ! -e "$0/over" ] && cat "$0/accepted" "$0/idle" >&3; do sleep 0.1; done
        """

    private static func bytes(of report: LinkReport) -> [UInt8] {
        var writer = ByteWriter()
        report.encode(into: &writer)
        return writer.bytes
    }

    private static func beat(inFlight: UInt32) -> [UInt8] {
        bytes(of: .heartbeat(Heartbeat(waiting: 0, inFlight: inFlight, openConnections: 1, residentKilobytes: 1)))
    }

    /// What the stand-in says, in the master's own words.
    private static func write(_ messages: [MessageID], to folder: String) throws {
        var accepted: [UInt8] = []
        // Whichever number the next grant has: news of others change nothing.
        for grant in UInt32(1)...9 {
            var builder = OutcomesFrameBuilder()
            for message in messages { builder.accepted(message, grant: grant) }
            accepted += builder.finish()
        }
        let said: [(String, [UInt8])] = [
            ("hello", bytes(of: .hello(version: ChildLink.version, processID: 1))),
            ("busy", beat(inFlight: UInt32(messages.count))), ("idle", beat(inFlight: 0)), ("accepted", accepted),
        ]
        for (name, bytes) in said {
            try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
        }
    }

    @Test func `a child that beats and gets nothing done is killed, and its messages go to another`() throws {
        try Office.with { office in
            let delivery = try office.submit(try office.app("one", subscribers: 10))
            let part = try #require(try office.prepare(delivery).first)
            try Self.write(part.ids, to: office.folder)
            var configuration = ServerConfiguration()
            configuration.nmac.iosHTTP2.requestTimeoutSec = 1
            configuration.nmac.fcm.requestTimeoutSec = 1
            configuration.nmac.iosBinary.confirmAfterSec = 1
            configuration.mta.master.startSpareServers = 1
            configuration.mta.master.maxSpareServers = 1
            let log = RememberedLog()
            let service = MasterService(
                settings: configuration, store: office.store, key: office.key, childExecutable: "/bin/sh",
                childArguments: ["-c", Self.program, office.folder], logger: log.logger,
                patienceWithChildrenSeconds: 4)
            let ended = Ended()
            let task = Task.detached {
                let result = await Swift.Result { try await service.run() }
                ended.set(result)
            }
            try eventually("the other child's outcomes to be recorded") {
                try office.counts(delivery).sent == 10
            }
            try Data().write(to: URL(filePath: "\(office.folder)/over"))
            task.cancel()
            eventually("the master to end") { ended.isSet }
            #expect(ended.error == nil)
            let killed = log.lines.filter { $0.contains("ended: it has messages with gateways and no outcome for 5 s") }
            #expect(killed.count == 1 && killed.allSatisfy { $0.contains("signal 9") })
        }
    }
}

/// How a service's run ended.
private final class Ended: Sendable {
    private let result = Mutex<Swift.Result<Void, any Error>?>(nil)
    func set(_ value: Swift.Result<Void, any Error>) { result.withLock { $0 = value } }
    var isSet: Bool { result.withLock { $0 != nil } }
    var error: String? {
        result.withLock { if case .failure(let error)? = $0 { "\(error)" } else { nil } }
    }
}

extension Swift.Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// A log that is kept for being looked at.
private final class RememberedLog: Sendable {
    private let all = Mutex<[String]>([])
    var lines: [String] { all.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: RememberedLog
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.info
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { log.all.withLock { $0.append("\(event.level) \(event.message)") } }
    }
}
