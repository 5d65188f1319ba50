import PushTransport
import TestTLS
import Testing

extension TransportTests {
    @Suite struct PKCS12Tests {
        let authority = TestAuthority()

        @Test(arguments: [TestAuthority.Bag.modern, .keychain])
        func `a PKCS#12 bag opens with its password`(kind: TestAuthority.Bag) throws {
            let ours = authority.issue("sender", userID: "com.example.app")
            let read = try PKCS12.read(
                authority.bag(ours, password: "geheim", kind: kind), password: "geheim")
            let chain = String(decoding: read.chainPEM, as: UTF8.self)
            #expect(chain == String(decoding: ours.certificatePEM + authority.pem, as: UTF8.self))
            #expect(read.keyPEM == ours.keyPEM)
            try Certificate.check(chainPEM: read.chainPEM, keyPEM: read.keyPEM)
        }

        @Test(arguments: [TestAuthority.Bag.modern, .keychain])
        func `a wrong password is reported as a wrong password`(kind: TestAuthority.Bag) {
            let bag = authority.bag(authority.issue(), password: "geheim", kind: kind)
            for wrong in ["Geheim", ""] {
                #expect(failure { try PKCS12.read(bag, password: wrong) } == .wrongPassword)
            }
        }

        @Test func `bags with an empty password or no password open with an empty password`() throws {
            let ours = authority.issue()
            for password in ["", nil] {
                let read = try PKCS12.read(authority.bag(ours, password: password), password: "")
                #expect(read.keyPEM == ours.keyPEM)
            }
        }

        @Test func `data that is not a bag is refused as unreadable, and so is a truncated bag`() {
            let bag = authority.bag(authority.issue(), password: "x")
            for damaged in [
                [], Array("hello".utf8), Array(bag.dropLast(7)), Array(bag.prefix(20)), authority.pem,
            ] {
                let found = failure { try PKCS12.read(damaged, password: "x") }
                guard case .unreadable = found else {
                    Issue.record("\(damaged.count) bytes: \(String(describing: found))")
                    continue
                }
            }
        }

        @Test func `a bag with a damaged byte is never accepted`() {
            let bag = authority.bag(authority.issue(), password: "x", kind: .keychain)
            for place in stride(from: 0, to: bag.count, by: 61) {
                var damaged = bag
                damaged[place] ^= 0x55
                #expect(throws: TransportError.self) { try PKCS12.read(damaged, password: "x") }
            }
        }

        @Test func `the error for a bag without a key states that the key is missing`() {
            for kind in [TestAuthority.Bag.modern, .keychain] {
                let bag = authority.bag(nil, password: "x", kind: kind)
                #expect(failure { try PKCS12.read(bag, password: "x") } == .noKey)
            }
        }

        private func failure(_ body: () throws -> TLSIdentity.ClientCertificate) -> IdentityError? {
            do {
                _ = try body()
                return nil
            } catch {
                guard case .identity(let failure) = (error as? TransportError)?.cause else { return nil }
                return failure
            }
        }
    }
}
