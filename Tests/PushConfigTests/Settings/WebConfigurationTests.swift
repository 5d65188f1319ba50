import PushConfig
import Testing

@Suite struct WebConfigurationTests {
    @Test func `the loopback address has several names`() {
        var web = ServerConfiguration().web
        for (host, isLoopback) in [
            ("127.0.0.1", true), ("127.8.0.1", true), ("localhost", true), ("LocalHost", true), ("::1", true),
            ("0.0.0.0", false), ("::", false), ("192.0.2.1", false), ("127.example", false),
            ("push.example", false),
        ] {
            web.bind = host
            #expect(web.bindsLoopbackOnly == isLoopback, "\(host)")
        }
    }

    @Test func `a certificate and a key together enable TLS`() throws {
        let web = try parsed(document("web", "certificateChain='c.pem' privateKey='/k.pem'")).get().settings
            .web
        #expect(web.tls == TLSFiles(certificateChain: "/etc/push/c.pem", privateKey: "/k.pem"))
        #expect(ServerConfiguration().web.tls == nil)
    }
}
