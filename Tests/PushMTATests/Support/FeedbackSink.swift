import Foundation
import Glibc
import TestSupport
import Testing

/// The synthetic gateways in a separate process: the binary gateway and its feedback service.
final class FeedbackSink {
    private let process: RunningCommand
    private let folder: URL
    /// Keys and certificates.
    let certificates: String
    let binaryPort: Int
    let feedbackPort: Int

    struct Silent: Error { var said: String }

    /// - Parameter feedback: Lines `SECONDS TOKEN`, or damage to the next answer.
    static func with(_ feedback: String = "", _ story: (FeedbackSink) async throws -> Void) async throws {
        let sink = try await start(feedback)
        do { try await story(sink) } catch {
            try await sink.stop()
            throw error
        }
        try await sink.stop()
    }

    private static func start(_ feedback: String) async throws -> FeedbackSink {
        let folder = try TemporaryFolder.make()
        try feedback.write(to: folder.appending(path: "feedback"), atomically: true, encoding: .utf8)
        let process = try RunningCommand(
            program: try BuiltProgram("pushsink").path,
            arguments: [
                "run", "--certs", try await sharedCertificates.value, "--binary-port", "0", "--feedback-port",
                "0",
                "--feedback", "feedback",
            ], folder: folder, input: "", output: nil)
        while try !process.outputSoFar().contains("apns ") {
            guard kill(process.processID, 0) == 0 else { throw Silent(said: try process.errorsSoFar()) }
            try await Task.sleep(for: .milliseconds(5))
        }
        return try FeedbackSink(process, folder: folder)
    }

    private init(_ process: RunningCommand, folder: URL) throws {
        self.process = process
        self.folder = folder
        let said = try process.outputSoFar()
        func port(_ name: String) throws -> Int {
            let line = said.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
            return try #require(line?.split(separator: ":").last.flatMap { Int($0) }, "\(said)")
        }
        binaryPort = try port("binary")
        feedbackPort = try port("feedback")
        certificates = String(
            try #require(said.split(separator: "\n").first { $0.hasPrefix("certs ") }).dropFirst(6))
    }

    /// Makes the feedback service report these entries from now on, once.
    func tell(_ feedback: String) throws {
        try feedback.write(to: folder.appending(path: "feedback"), atomically: true, encoding: .utf8)
    }

    private func stop() async throws {
        process.signal(SIGTERM)
        _ = try await process.finished()
        try FileManager.default.removeItem(at: folder)
    }

    /// Created once, because RSA keys take longer than most tests.
    private static let sharedCertificates = Task {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pushmta-certs-\(getpid())")
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        atexit {
            try? FileManager.default.removeItem(
                at: FileManager.default.temporaryDirectory.appending(path: "pushmta-certs-\(getpid())"))
        }
        let certificates = folder.appending(path: "set").path(percentEncoded: false)
        let making = try RunningCommand(
            program: try BuiltProgram("pushsink").path, arguments: ["certs", certificates], folder: folder,
            input: "",
            output: nil)
        let made = try await making.finished()
        guard made.status == 0 else { throw Silent(said: made.errors) }
        return certificates
    }
}
