import GatewayFCM
import PushWire
import Testing

@Suite struct TokenEndpointTests {
    @Test(arguments: [
        ("https://oauth2.googleapis.com/token", "oauth2.googleapis.com", 443, "/token"),
        ("HTTPS://localhost:8443/a/b?c=d", "localhost", 8443, "/a/b?c=d"),
        ("https://127.0.0.1", "127.0.0.1", 443, "/"),
        ("https://host?x", "host", 443, "/?x"), ("https://host:1", "host", 1, "/"),
    ])
    func `an endpoint's address is split into its components`(
        uri: String, host: String, port: UInt16, path: String
    ) throws {
        let endpoint = try #require(TokenEndpoint(uri))
        #expect(endpoint.host == host)
        #expect(endpoint.port == port)
        #expect(endpoint.path == path)
    }

    @Test(arguments: [
        "", "token", "http://host/", "https://", "https:///token", "https://host:0/", "https://host:65536/",
        "https://host:/", "https://a:b@host/", "https://user@host/", "https://host/a b", "https://host/#f",
        "https://host/\r\nx", "https://hôte/", "https://[::1]/", "https://host:+1/",
    ])
    func `an invalid endpoint address is refused`(uri: String) {
        #expect(TokenEndpoint(uri) == nil)
    }
}
