import Foundation
import PushTransport
import TestTLS
import Testing

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}

extension TransportTests {
    @Suite struct PrivateKeyTests {
        let pem: String
        let lines: [String]
        let base64: String

        init() {
            pem = String(decoding: TestAuthority().issue().keyPEM, as: UTF8.self)
            lines = pem.split(separator: "\n").map(String.init)
            base64 = lines.dropFirst().dropLast().joined()
        }

        private func text(_ middle: String) -> String {
            "\(lines[0])\n\(middle)\n\(lines[lines.count - 1])\n"
        }

        private func wrapped(at width: Int) -> String {
            stride(from: 0, to: base64.count, by: width)
                .map { String(base64.dropFirst($0).prefix(width)) }.joined(separator: "\n")
        }

        @Test func `a key can be read in any text layout that OpenSSL can read`() throws {
            let plain = try PrivateKey(pem: Array(pem.utf8))
            #expect(plain.kind == .elliptic(curve: "prime256v1"))
            #expect(plain.pem == Array(pem.utf8))
            for (what, text) in [
                ("byte order mark", "\u{FEFF}" + pem), ("one line", text(base64)),
                ("76", text(wrapped(at: 76))),
                ("16", text(wrapped(at: 16))), ("text before", "Bag Attributes\n    name: x\n" + pem),
                ("text behind", pem + "\nbye\n"), ("CRLF", pem.replacing("\n", with: "\r\n")),
                ("blanks", pem.replacing("\n", with: " \t\n")),
                ("no last line break", String(pem.dropLast())),
                ("byte order mark, CRLF", "\u{FEFF}" + text(base64).replacing("\n", with: "\r\n")),
                ("empty lines behind", pem + "\n\n"),
            ] {
                #expect(try PrivateKey(pem: Array(text.utf8)) == plain, "\(what)")
            }
        }

        @Test
        func `the error for a key on one line, as in an environment variable, asks for the original lines`()
            throws
        {
            let sound = TestAuthority().issue()
            let certificate = String(decoding: sound.certificatePEM, as: UTF8.self)
            func oneLine(_ text: String) -> String { text.replacing("\n", with: " ").trimmed }
            let cases: [(text: String, words: String)] = [
                (oneLine(pem) + "\n", "has text after '-----BEGIN PRIVATE KEY-----' on the same line"),
                (
                    oneLine(pem) + "\r\n",
                    "has text after '-----BEGIN PRIVATE KEY-----' on the same line"
                ),
                (
                    lines[0] + base64 + lines[lines.count - 1] + "\n",
                    "has text after '-----BEGIN PRIVATE KEY"
                ),
                (
                    lines[0] + "\n" + base64 + lines[lines.count - 1] + "\n",
                    "before '-----END PRIVATE KEY-----'"
                ),
                (
                    lines[0] + base64 + "\n" + lines[lines.count - 1] + "\n",
                    "after '-----BEGIN PRIVATE KEY-----'"
                ),
                ("KEY=" + pem, "has text before '-----BEGIN PRIVATE KEY-----' on the same line"),
                (pem.replacing("\n", with: #"\n"#) + "\n", #"has the two characters \n where lines end"#),
                (pem.replacing("\n", with: #" \n "#) + "\n", #"has the two characters \n where lines end"#),
                (pem.replacing("\n", with: #"\r\n"#) + "\n", #"has the two characters \n where lines end"#),
            ]
            for (text, words) in cases {
                let error = #expect(throws: TransportError.self) { _ = try PrivateKey(pem: Array(text.utf8)) }
                let told = error?.description ?? ""
                #expect(told.contains(words), "\(words): \(told)")
                #expect(
                    told.contains("on its own line") || told.contains("put line breaks in their place"))
                #expect(!told.contains("damaged") && !told.contains(base64.prefix(16)))
            }
            // The same applies to a certificate, with its key or alone.
            for text in [oneLine(certificate) + "\n" + pem, oneLine(certificate + pem) + "\n"] {
                let error = #expect(throws: TransportError.self) {
                    try Certificate.check(chainPEM: Array(text.utf8), keyPEM: Array(text.utf8))
                }
                #expect(
                    error?.description.contains("after '-----BEGIN CERTIFICATE-----'") == true, "\(text)")
            }
        }

        @Test func `the error for a text that is not a key describes the text`() throws {
            let authority = TestAuthority()
            let ours = authority.issue()
            let cases: [(bytes: [UInt8], words: String)] = [
                ([], "is empty"), (Array("hello".utf8), "has no line '-----BEGIN PRIVATE KEY-----'"),
                (ours.certificatePEM, "does not contain a private key"),
                (ours.keyPEM(password: "x"), "the private key is encrypted"),
                (Array(pem.replacing("\n", with: #"\n"#).utf8), #"the two characters \n where lines end"#),
                (Array(pem.replacing("\n", with: "\r").utf8), "only carriage returns"),
                (Array(pem.replacing("\n", with: "").utf8), "has no line breaks"),
                (
                    Array(lines.dropLast().joined(separator: "\n").utf8),
                    "is truncated: the line with END PRIVATE KEY"
                ),
                (Array(("  " + pem).utf8), "has text before '-----BEGIN PRIVATE KEY-----'"),
                (Array(text("!!!!" + base64.dropFirst(4)).utf8), "contains a damaged private key"),
                (Array(text(String(base64.dropLast(40))).utf8), "contains a damaged private key"),
                ([0xFF, 0xFE] + pem.utf8.flatMap { [$0, 0] }, "is not plain text; save it as UTF-8"),
                (Array(try #require(Data(base64Encoded: base64))), "is DER, not PEM"),
            ]
            for (bytes, words) in cases {
                let error = #expect(throws: TransportError.self) { _ = try PrivateKey(pem: bytes) }
                #expect(error?.description.contains(words) == true, "\(words): \(error?.description ?? "")")
                #expect(error?.description.contains(base64.prefix(16)) == false)
            }
        }
    }
}
