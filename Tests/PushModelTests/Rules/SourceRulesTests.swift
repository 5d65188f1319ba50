import Foundation
import TestSupport
import Testing

/// Rules for all source files.
@Suite struct SourceRulesTests {
    private static let sources = Repository.swiftFiles(in: Repository.file("Sources"))
    private static let tests = Repository.swiftFiles(in: Repository.file("Tests"))

    /// A transport cannot be replaced if its C names leak into other targets.
    @Test func `only the transport and the synthetic gateway use libcurl, nghttp2 and OpenSSL`() throws {
        let files = Self.sources
        #expect(files.count > 100)
        let call = /\b(curl_|nghttp2_|SSL_|X509_|EVP_)\w+\s*\(/
        for file in files where !file.path.contains("/PushTransport/") && !file.path.contains("/pushsink/") {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.firstMatch(of: call) == nil, "\(file.lastPathComponent)")
        }
    }

    @Test func `no file is longer than 400 lines`() throws {
        for file in Self.sources {
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 401, "\(file.lastPathComponent)")
        }
    }

    @Test func `code that external input can reach never stops the process`() throws {
        let trap = /\btry!|\bfatalError\(|\bas!\s/
        for file in Self.sources {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.firstMatch(of: trap) == nil, "\(file.lastPathComponent)")
        }
    }

    @Test func `each file has a unique name`() {
        let files = Self.sources + Self.tests
        for (name, those) in Dictionary(grouping: files, by: \.lastPathComponent) {
            #expect(those.count == 1, "\(name): \(those.map(\.path))")
        }
    }

    @Test func `no folder has more than 20 files`() {
        let files = Self.sources + Self.tests
        for (folder, those) in Dictionary(grouping: files, by: { $0.deletingLastPathComponent().path }) {
            #expect(those.count <= 20, "\(folder)")
        }
    }

    @Test func `HTTP/2 framing uses no clock, file, socket or C`() throws {
        let framing = Self.sources.filter { $0.path.contains("/PushTransport/Framing/") }
        #expect(framing.count > 10)
        for file in framing {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains("import "), "\(file.lastPathComponent)")
        }
    }

    /// Each gateway has one target, which also connects to the gateway. Only this part of the target is pure.
    @Test func `tables of gateways' reasons use no clock, file or socket`() throws {
        let words = Self.sources.filter { $0.path.contains("/Gateways/") && $0.path.contains("/Words/") }
        #expect(words.count > 20)
        let pure = ["PushModel", "PushWire", "PushConfig", "PushPayload"]
        for file in words {
            let text = try String(contentsOf: file, encoding: .utf8)
            for line in text.matches(of: /(?m)^(?:internal |package )?import (\w+)$/) {
                #expect(pure.contains(String(line.1)), "\(file.lastPathComponent) imports \(line.1)")
            }
        }
    }
}
