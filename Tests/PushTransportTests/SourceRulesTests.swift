import Foundation
import Testing

/// C's names stay in the targets that are made for them: a transport that leaks them cannot be replaced.
@Suite struct `The rules of the source` {
    private static let sources = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Sources")

    private static func swiftFiles() throws -> [URL] {
        let all = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        return (all?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
    }

    @Test func `libcurl, nghttp2 and OpenSSL are called in the transport and in the synthetic gateway only`()
        throws
    {
        let files = try Self.swiftFiles()
        #expect(files.count > 100)
        let call = /\b(curl_|nghttp2_|SSL_|X509_|EVP_)\w+\s*\(/
        for file in files where !file.path.contains("/PushTransport/") && !file.path.contains("/pushsink/") {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.firstMatch(of: call) == nil, "\(file.lastPathComponent)")
        }
    }

    @Test func `no file is longer than 400 lines`() throws {
        for file in try Self.swiftFiles() {
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 401, "\(file.lastPathComponent)")
        }
    }

    @Test func `nothing that can be reached from outside may stop the process`() throws {
        let trap = /\btry!|\bfatalError\(|\bas!\s/
        for file in try Self.swiftFiles() {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.firstMatch(of: trap) == nil, "\(file.lastPathComponent)")
        }
    }
}
