import Foundation
import Synchronization
import Testing
import pushsink

/// A running sink as a separate process, with its working directory.
final class Sink {
    let directory: String
    let port: UInt16
    let certificates: CertificateSet
    /// One set for all tests, because generating RSA keys takes longer than most tests.
    private static let sharedCertificates = Result {
        let directory = try Files.makeTemporaryDirectory()
        sharedDirectory.withLock { $0 = directory }
        atexit { Files.removeDirectory(sharedDirectory.withLock { $0 }) }
        return try CertificateSet.make(in: directory)
    }
    private static let sharedDirectory = Mutex("")
    private let program: SinkProgram
    private var stopped = false

    /// Starts the sink and waits until it listens.
    init(_ arguments: [String] = [], rules: String? = nil) throws {
        directory = try Files.makeTemporaryDirectory()
        certificates = try Self.sharedCertificates.get()
        let files = ["--log", "\(directory)/log", "--summary", "\(directory)/summary"]
        var all = ["run", "--certs", certificates.directory] + files + arguments
        if let rules {
            try Files.replace("\(directory)/rules", with: Array(rules.utf8))
            all += ["--rules", "\(directory)/rules"]
        }
        program = try SinkProgram(all, in: directory)
        var port: UInt16?
        while port == nil {
            guard program.isRunning else {
                throw SinkError.failed("starting the sink", why: program.errors)
            }
            port = program.output.firstMatch(of: /apns 127\.0\.0\.1:(\d+)\n/).flatMap { UInt16($0.1) }
            if port == nil { usleep(2000) }
        }
        self.port = try #require(port)
    }

    /// Returns the port of another gateway of the sink, by the name under which the sink reports it.
    func port(of name: String) throws -> UInt16 {
        let line = program.output.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
        return try #require(line.flatMap { $0.split(separator: ":").last }.flatMap { UInt16($0) })
    }

    deinit {
        if !stopped { _ = program.end() }
        Files.removeDirectory(directory)
    }

    /// Ends the sink as an operator would, and returns its output, which must add up.
    func stop() throws -> (summary: Summary, lines: [LogLine]) {
        let status = program.end()
        stopped = true
        #expect(status == 0)
        let summary = try #require(Summary(json: Files.read("\(directory)/summary")))
        let lines = try LogLine.all(in: "\(directory)/log")
        #expect(lines.count == summary.requests)
        let ended =
            summary.accepted + summary.rejected + summary.silent + summary.refused + summary.cut
            + summary.unprocessed + summary.cancelled
        #expect(ended == summary.requests && summary.waiting == 0)
        return (summary, lines)
    }

    /// Requests the summary of a running sink, and waits until it satisfies `condition`.
    func summary(where condition: (Summary) -> Bool) throws -> Summary {
        for _ in 0..<2000 {
            program.signal(SIGUSR1)
            let written = try Summary(json: Files.read("\(directory)/summary"))
            if let written, condition(written) { return written }
            usleep(5000)
        }
        throw SinkError.failed("waiting for the sink's summary", why: "the condition never held")
    }

    /// Returns a fresh provider token.
    func bearer(age: Int = 0) throws -> String {
        let key = try #require(certificates.providerKeys().first)
        return "bearer " + ProviderTokens.mint(key: key, issuedAt: Int(Date().timeIntervalSince1970) - age)
    }
}

/// A line of the sink's log, keyed by column name.
struct LogLine {
    private let columns: [String: String]

    subscript(_ name: String) -> String { columns[name] ?? "" }

    static func all(in file: String) throws -> [LogLine] {
        var lines = try Files.text(file).split(separator: "\n")
        let names = try #require(lines.first).dropFirst().split(separator: "\t").map(String.init)
        lines.removeFirst()
        return lines.map { line in
            let values = line.split(
                separator: "\t", maxSplits: names.count - 1, omittingEmptySubsequences: false)
            return LogLine(columns: Dictionary(uniqueKeysWithValues: zip(names, values.map(String.init))))
        }
    }
}
