import Foundation
import GatewayFCM
import PushModel
import PushWire
import Testing

@Suite struct FCMLegacyRequestTests {
    @Test func `the key is sent in the authorization field, which is never indexed`() throws {
        let key = try FCMProjectKey("AAAA:x-y_z", fingerprint: "0123456789abcdef")
        #expect(
            FCMLegacyRequest.constantFields(key: key) == [
                HeaderField(name: "content-type", value: "application/json"),
                HeaderField(name: "authorization", value: "key=AAAA:x-y_z", isSecret: true),
            ])
    }

    @Test func `a request contains at most a thousand ids, in their original order`() throws {
        var list = FCMLegacyRequest.RegistrationIDs()
        var tokens: [String] = []
        for index in 0..<1_000 {
            tokens.append("t\(index)\"\\\n")
            let isAdded = list.append(Array(tokens[index].utf8))
            #expect(isAdded)
        }
        #expect(list.isFull)
        let before = list.json
        let isAdded = list.append(Array("x".utf8))
        #expect(!isAdded)
        #expect(list.json == before)
        let parsed = try JSONSerialization.jsonObject(with: Data("[".utf8) + Data(list.json) + Data("]".utf8))
        #expect(parsed as? [String] == tokens)
        list.removeAll()
        #expect(list.count == 0)
        #expect(list.json.isEmpty)
    }

    @Test func `a connection test is sent as a dry run`() throws {
        let body = try JSONSerialization.jsonObject(with: Data(FCMLegacyRequest.validationBody(token: "a")))
        #expect(body as? NSDictionary == ["dry_run": true, "registration_ids": ["a"]])
    }
}
