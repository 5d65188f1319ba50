import Foundation
import Testing
import pushsink

/// A running sink that serves FCM, and everything that a provider needs to use it.
final class GoogleSink {
    let sink: Sink
    let fcm: UInt16
    let oauth: UInt16
    let account: ServiceAccount

    init(_ arguments: [String] = [], rules: String = "", oauthRules: String = "") throws {
        let directory = try Files.makeTemporaryDirectory()
        defer { Files.removeDirectory(directory) }
        try Files.replace("\(directory)/fcm", with: Array(rules.utf8))
        try Files.replace("\(directory)/oauth", with: Array(oauthRules.utf8))
        sink = try Sink(
            [
                "--fcm-port", "0", "--fcm-rules", "\(directory)/fcm", "--oauth-rules", "\(directory)/oauth",
                "--write-service-account", "\(directory)/account",
            ] + arguments)
        fcm = try sink.port(of: "fcm")
        oauth = try sink.port(of: "oauth")
        account = try #require(ServiceAccount(json: Files.read("\(directory)/account")))
    }

    var path: String { "/v1/projects/\(account.projectID)/messages:send" }
    func legacyKey() throws -> String { "key=\(try sink.certificates.projectKey())" }

    /// Returns an assertion that is valid now.
    func assertion() throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        let claims =
            #"{"iss":"\#(account.clientEmail)","scope":"\#(Assertion.scopes[0])","#
            + #""aud":"\#(account.tokenURI)","#
            + #""iat":\#(now),"exp":\#(now + 3600)}"#
        return try #require(Assertion(account: account)).mint(claims)
    }

    /// Requests a token from the endpoint and returns the answer unchanged.
    func askForToken(_ arguments: [String] = []) throws -> Curl.Answer {
        let grant = "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer"
        let form = ["-d", grant, "-d", "assertion=\(try assertion())"]
        return try Curl.get("https://localhost:\(oauth)/token", arguments + form, trusting: sink)
    }

    /// Returns the value of `authorization` for FCM v1.
    func bearer() throws -> String {
        let answer = try askForToken()
        let token = try #require(answer.body.firstMatch(of: /"access_token":"([^"]+)"/)).1
        return "Bearer \(token)"
    }

    func post(_ body: String, authorization: String, _ arguments: [String] = []) throws -> Curl.Answer {
        try post(path, body, authorization: authorization, arguments)
    }

    func post(
        _ path: String, _ body: String, authorization: String, _ arguments: [String] = []
    ) throws -> Curl.Answer {
        try Curl.get(
            "https://localhost:\(fcm)\(path)",
            arguments + ["-H", "authorization: \(authorization)", "--data-binary", body], trusting: sink)
    }

    /// Returns a message for this token.
    static func message(_ token: String) -> String {
        #"{"message":{"token":"\#(token)","data":{"_mId":"1"}}}"#
    }

    /// Ends the sink. Returns the summaries of FCM and of the endpoint. Each must add up.
    func stop() throws -> (fcm: Summary, oauth: Summary) {
        let (summary, _) = try sink.stop()
        let found = try #require(summary.gateways)
        for summary in found.values {
            let ended =
                summary.accepted + summary.rejected + summary.silent + summary.refused + summary.cut
                + summary.unprocessed + summary.cancelled
            #expect(ended == summary.requests && summary.waiting == 0)
        }
        return (try #require(found["fcm"]), try #require(found["oauth"]))
    }
}

/// The command with that name: a client that we did not write ourselves.
enum Curl {
    struct Answer: Equatable {
        /// curl's exit code.
        var exit: Int32
        var status: Int
        var version: String
        var body: String
        var retryAfter: String
    }

    static func get(_ url: String, _ arguments: [String] = [], trusting sink: Sink) throws -> Answer {
        let result = try SinkProgram.run(
            [
                "-sS", "--max-time", "20", "--cacert", sink.certificates.path(CertificateSet.Name.authority),
                "-w", "\n%{http_code} %{http_version} %header{retry-after}",
            ] + arguments + [url], executable: "/usr/bin/curl")
        let last = try #require(result.output.split(separator: "\n").last)
        let words = last.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return Answer(
            exit: result.status, status: Int(words[0]) ?? 0, version: words[1],
            body: String(result.output.dropLast(last.count + 1)),
            retryAfter: words.dropFirst(2).joined(separator: " "))
    }
}
