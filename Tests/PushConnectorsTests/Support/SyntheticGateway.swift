import Foundation
import GatewayAPNs
import GatewayKit
import Glibc
import PushConnectors
import PushModel
import PushWire
import Synchronization
import TestSupport
import Testing
import pushsink

/// The synthetic gateway as a separate process, and the credentials that it accepts.
final class Gateway {
    let directory: String
    let port: UInt16
    private let process = Process()

    /// One set of keys and certificates for all tests, because generating RSA keys takes longer than most
    /// tests.
    static func certificates() throws -> CertificateSet { try sharedCertificates.get() }
    private static let sharedDirectory = Mutex("")
    private static let sharedCertificates = Result {
        let directory = try Files.makeTemporaryDirectory()
        sharedDirectory.withLock { $0 = directory }
        atexit { Files.removeDirectory(Gateway.sharedDirectory.withLock { $0 }) }
        return try CertificateSet.make(in: directory)
    }

    static func file(_ name: String) throws -> [UInt8] {
        let set = try certificates()
        return try Files.read(set.path(name))
    }

    /// Starts the gateway and waits until it listens.
    init(_ arguments: [String] = [], rules: String = "* accept\n") throws {
        directory = try Files.makeTemporaryDirectory()
        let set = try Self.certificates()
        try Files.replace("\(directory)/rules", with: Array(rules.utf8))
        let output = "\(directory)/output"
        try Files.replace(output, with: [])
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("pushsink")
        process.arguments =
            [
                "run", "--certs", set.directory, "--rules", "\(directory)/rules", "--log", "\(directory)/log",
            ] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        try process.run()
        var port: UInt16?
        let end = Date().addingTimeInterval(Patience.seconds)
        while port == nil, process.isRunning, Date() < end {
            port = try Files.text(output).firstMatch(of: /apns 127\.0\.0\.1:(\d+)\n/).flatMap { UInt16($0.1) }
            if port == nil { usleep(2_000) }
        }
        self.port = try #require(port, "the sink does not listen")
    }

    deinit {
        stop()
        Files.removeDirectory(directory)
    }

    /// Suspends the gateway: from now on its process reads nothing, although its machine still accepts data.
    func freeze() { _ = process.suspend() }

    /// Kills the gateway without notifying any client.
    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// One request as the gateway logged it, keyed by column name.
    typealias Line = [String: String]

    /// Ends the gateway and returns its log.
    func log() throws -> [Line] {
        stop()
        return try Self.lines(of: "\(directory)/log")
    }

    /// Returns the lines of a log, keyed by column name.
    static func lines(of file: String) throws -> [Line] {
        var lines = try Files.text(file).split(separator: "\n")
        let names = lines.removeFirst().dropFirst().split(separator: "\t").map(String.init)
        return lines.map { line in
            let values = line.split(
                separator: "\t", maxSplits: names.count - 1, omittingEmptySubsequences: false)
            return Dictionary(uniqueKeysWithValues: zip(names, values.map(String.init)))
        }
    }

    // MARK: Whom it knows

    static func key() throws -> VerifiedCredential {
        let account = try certificates().account
        return try CredentialIntake.token(
            p8: try file(CertificateSet.Name.providerKey(account.keyID)), keyID: account.keyID,
            teamID: account.teamID)
    }

    static func certificate() throws -> VerifiedCredential {
        let password = String(decoding: try file(CertificateSet.Name.clientPassword), as: UTF8.self)
        return try CredentialIntake.pkcs12(try file(CertificateSet.Name.clientP12), password: password)
    }

    static var bundleID: String { get throws { try certificates().account.bundleID } }

    /// Returns the order by which a child reaches the gateway.
    func order(connections: Int = 1, trusted: Bool = true) throws -> GatewayOrder {
        var order = GatewayOrder()
        order.address = "127.0.0.1"
        order.port = port
        try order.change(APNsSettings.self) { $0.connectionsPerChild = connections }
        if trusted {
            order.trustedCertificates = String(
                decoding: try Self.file(CertificateSet.Name.authority), as: UTF8.self)
        }
        return order
    }
}
