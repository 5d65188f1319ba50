import Foundation
import GatewayFCM
import PushModel
import PushWire
import Testing

@Suite struct FCMServiceAccountTests {
    private static let pem = "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n"

    private let whole: [String: Any] = [
        "type": "service_account", "project_id": "news-1", "private_key_id": "k1", "private_key": pem,
        "client_email": "push@news-1.iam.gserviceaccount.com", "client_id": "1",
        "auth_uri": "https://accounts.google.com/o/oauth2/auth",
        "token_uri": "https://oauth2.googleapis.com/token",
        "universe_domain": "googleapis.com",
    ]

    private func read(_ changes: [String: Any?]) throws -> FCMServiceAccount {
        var object = whole
        for (key, value) in changes { object[key] = value }
        return try FCMServiceAccount(json: Array(try JSONSerialization.data(withJSONObject: object)))
    }

    private func problem(_ changes: [String: Any?]) -> String {
        do {
            _ = try read(changes)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func `the file from Google is accepted unchanged`() throws {
        let account = try read([:])
        #expect(account.projectID == "news-1")
        #expect(account.clientEmail == "push@news-1.iam.gserviceaccount.com")
        #expect(account.privateKeyID == "k1")
        #expect(account.privateKeyPEM == Self.pem)
        #expect(account.tokenEndpoint == .google)
    }

    @Test func `optional fields in the file have Google's value or stay empty`() throws {
        let account = try read(["private_key_id": nil, "token_uri": nil])
        #expect(account.privateKeyID == nil)
        #expect(account.tokenURI == "https://oauth2.googleapis.com/token")
    }

    @Test(arguments: ["project_id", "client_email", "private_key"])
    func `the error for a missing, empty or non-text field names the field`(key: String) {
        #expect(problem([key: nil]).contains("\"\(key)\""))
        #expect(problem([key: ""]).contains("\"\(key)\""))
        #expect(problem([key: 7]).contains("\"\(key)\" is an integer"))
    }

    @Test(arguments: [
        ("project_id", "a/b", "project_id"), ("project_id", "a b", "project_id"),
        ("client_email", "nobody", "client_email"),
        ("client_email", "a@b\r\nc", "client_email"), ("private_key", "SECRET", "BEGIN PRIVATE KEY"),
        ("private_key", "-----BEGIN PRIVATE KEY-----\\nSECRET\\n-----END PRIVATE KEY-----\\n", "line breaks"),
        ("private_key", "-----BEGIN PRIVATE KEY-----\nSECRET", "truncated"),
        (
            "private_key", "-----BEGIN CERTIFICATE-----\nSECRET\n-----END CERTIFICATE-----\n",
            "BEGIN PRIVATE KEY"
        ),
        ("private_key_id", "a b", "private_key_id"),
        ("token_uri", "http://oauth2.googleapis.com/token", "token_uri"),
        ("token_uri", "nowhere", "token_uri"), ("type", "authorized_user", "service_account"),
    ])
    func `the error for a field with an impossible value does not contain the secret`(
        key: String, value: String, word: String
    ) {
        let problem = problem([key: value])
        #expect(problem.contains(word))
        #expect(!problem.contains("SECRET"))
        #expect(!problem.contains("\n"))
    }

    @Test func `a file of another type is distinguished from a service account`() {
        #expect(problem(["type": nil]).contains("service_account"))
        #expect(problem(["project_info": ["project_id": "p"]]).contains("google-services.json"))
        for text in ["", "not JSON", "[]", "-----BEGIN PRIVATE KEY-----"] {
            #expect(throws: WireError.self) { try FCMServiceAccount(json: Array(text.utf8)) }
        }
    }
}
