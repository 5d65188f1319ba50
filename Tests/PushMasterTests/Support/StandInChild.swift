import Foundation
import GatewayAPNs
import GatewayAPNsBinary
import GatewayFCM
import Logging
import PushConfig
import PushConnectors
import PushMaster
import PushModel
import PushStore
import PushWire
import Synchronization
import TestSupport
import Testing

/// Children that are a few lines of shell, run against the real master: spawned by it, with its link and its
/// lock. The first one misbehaves as the test requires. The next ones report all messages as accepted, and
/// send heartbeats until the story ends.
enum StandInChild {
    /// Returns the shell program: `$0` is the folder with the frames, and descriptor 3 is the link.
    static func program(first: String) -> String {
        """
        cat "$0/hello" >&3
        if mkdir "$0/first" 2>/dev/null; then
            \(first)
        fi
        while [ ! -e "$0/over" ] && cat "$0/accepted" "$0/idle" >&3; do sleep 0.1; done
        """
    }

    static func bytes(of report: LinkReport) -> [UInt8] {
        var writer = ByteWriter()
        report.encode(into: &writer)
        return writer.bytes
    }

    private static func beat(inFlight: UInt32) -> [UInt8] {
        bytes(
            of: .heartbeat(
                Heartbeat(waiting: 0, inFlight: inFlight, openConnections: 1, residentKilobytes: 1)))
    }

    /// Writes the frames that the stand-ins send, encoded as the master expects them: `hello`, `busy`,
    /// `idle`, `accepted`, `undecided`.
    static func write(_ messages: [MessageID], to folder: String) throws {
        var accepted: [UInt8] = []
        var undecided: [UInt8] = []
        let verdict = Verdict(
            scope: .transient, schedule: .soon, countsAttempt: true, failureType: .undefined,
            failureReason: .unreachable, quarantine: .no)
        // Covers any number that the next grant can have, because reports about other grants change nothing.
        // On a busy machine, several children may first be treated as stuck.
        for grant in GrantID(1)...99 {
            var builder = OutcomesFrameBuilder()
            for message in messages { builder.accepted(message, grant: grant) }
            accepted += builder.finish()
            for message in messages {
                builder.append(
                    .undecided(verdict, reason: "no answer in time"), message: message, attempts: 0,
                    grant: grant)
            }
            undecided += builder.finish()
        }
        let said: [(String, [UInt8])] = [
            ("hello", bytes(of: .hello(version: ChildLink.version, processID: 1))),
            ("busy", beat(inFlight: UInt32(messages.count))), ("idle", beat(inFlight: 0)),
            ("accepted", accepted),
            ("undecided", undecided),
        ]
        for (name, bytes) in said {
            try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
        }
    }

    /// Writes frames for the link to a file from which a program can send them.
    static func write(_ reports: [LinkReport], to file: String) throws {
        try Data(reports.flatMap { bytes(of: $0) }).write(to: URL(filePath: file))
    }

    /// Runs a delivery of ten messages through such children, until each has its outcome.
    /// - Returns: The master's log.
    static func deliver(
        in fixture: MasterFixture, first: String, _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> (counts: DeliveryCounts, log: [String]) {
        let delivery = try fixture.submit(try fixture.app("one", subscribers: 10, identity: "one"))
        let part = try #require(try fixture.prepare(delivery).first)
        try write(part.ids, to: fixture.folder)
        let log = try serve(fixture, program: program(first: first), change) { _ in
            try eventually("every message to have its outcome") {
                try fixture.counts(delivery).pending == 0
            }
        }
        let counts = try fixture.counts(delivery)
        #expect(counts.pending == 0, "\(log.suffix(40).joined(separator: " | "))")
        return (counts, log)
    }

    /// Runs the master with this program in place of its children, until the test creates a file `over`.
    /// - Parameter story: Receives the log so far.
    /// - Returns: The master's log.
    static func serve(
        _ fixture: MasterFixture, program: String, _ change: (inout ServerConfiguration) -> Void = { _ in },
        story: (() -> [String]) throws -> Void
    ) throws -> [String] {
        try serve(fixture, program: program, watchedBy: nil, change) { _, log in try story(log) }
    }

    /// The same, with a handle for the master.
    static func serve(
        _ fixture: MasterFixture, program: String, watchedBy watcher: (any ServiceWatcher)?,
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        story: (MasterHandle, @escaping () -> [String]) throws -> Void
    ) throws -> [String] {
        var configuration = ServerConfiguration()
        configuration.nmac.iosHTTP2.requestTimeoutSec = 1
        configuration.nmac.fcm.requestTimeoutSec = 1
        configuration.nmac.iosBinary.confirmAfterSec = 1
        configuration.mta.master.startSpareServers = 1
        configuration.mta.master.maxSpareServers = 1
        change(&configuration)
        let log = RememberedLog()
        let service = try MasterService(
            settings: configuration, connectors: ConnectorCatalogue.rows, store: fixture.store,
            key: fixture.key,
            children: ChildProcess.Order(executable: "/bin/sh", arguments: ["-c", program, fixture.folder]),
            logger: log.logger, patienceWithChildrenSeconds: 0)
        let ended = ServiceEnd()
        _ = OtherThread { ended.set(Swift.Result { _ = try service.serve(watchedBy: watcher) }) }
        try story(service.handle) { log.lines }
        try Data().write(to: URL(filePath: "\(fixture.folder)/over"))
        service.handle.stop()
        eventually("the master to end") { ended.isSet }
        #expect(ended.error == nil)
        return log.lines
    }
}

/// The result of a service's run.
private final class ServiceEnd: Sendable {
    private let result = Mutex<Swift.Result<Void, any Error>?>(nil)
    func set(_ value: Swift.Result<Void, any Error>) { result.withLock { $0 = value } }
    var isSet: Bool { result.withLock { $0 != nil } }
    var error: String? {
        result.withLock { if case .failure(let error)? = $0 { "\(error)" } else { nil } }
    }
}

/// A log that is kept for inspection.
final class RememberedLog: Sendable {
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
