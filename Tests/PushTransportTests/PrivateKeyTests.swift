import Foundation
import PushTransport
import TestTLS
import Testing

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

        @Test func `a key is read however its text is laid out, as OpenSSL reads it`() throws {
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

        @Test func `what is no key is told as what it is`() throws {
            let authority = TestAuthority()
            let ours = authority.issue()
            let cases: [(bytes: [UInt8], words: String)] = [
                ([], "is empty"), (Array("hello".utf8), "has no line '-----BEGIN PRIVATE KEY-----'"),
                (ours.certificatePEM, "holds no private key"),
                (ours.keyPEM(password: "x"), "the private key is encrypted"),
                (Array(pem.replacing("\n", with: #"\n"#).utf8), #"the two characters \n where lines end"#),
                (Array(pem.replacing("\n", with: "\r").utf8), "only carriage returns"),
                (Array(pem.replacing("\n", with: "").utf8), "has no line breaks"),
                (
                    Array(lines.dropLast().joined(separator: "\n").utf8),
                    "is cut off: the line with END PRIVATE KEY"
                ),
                (Array(("  " + pem).utf8), "has something before '-----BEGIN PRIVATE KEY-----'"),
                (Array(text("!!!!" + base64.dropFirst(4)).utf8), "holds a damaged private key"),
                (Array(text(String(base64.dropLast(40))).utf8), "holds a damaged private key"),
                ([0xFF, 0xFE] + pem.utf8.flatMap { [$0, 0] }, "is not plain text; save it as UTF-8"),
                (Array(try #require(Data(base64Encoded: base64))), "is DER and not PEM"),
            ]
            for (bytes, words) in cases {
                let error = #expect(throws: TransportError.self) { _ = try PrivateKey(pem: bytes) }
                #expect(error?.description.contains(words) == true, "\(words): \(error?.description ?? "")")
                #expect(error?.description.contains(base64.prefix(16)) == false)
            }
        }
    }
}
