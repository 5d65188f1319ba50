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

    @Test(arguments: [
        ("https://push.example.com", "https://push.example.com"),
        ("HTTPS://Push.Example.com:8443/", "https://push.example.com:8443"),
        ("http://[::1]:8080/push/v1/", "http://[::1]:8080/push/v1"),
        ("https://192.0.2.7/a~b", "https://192.0.2.7/a~b"),
    ])
    func `a public URL has a scheme and a host, and optionally a port and a path`(text: String, shown: String)
        throws
    {
        let loaded = try parsed(document("web", "publicUrl='\(text)'")).get()
        #expect(loaded.settings.web.publicURL?.text == shown)
    }

    @Test(arguments: [
        "push.example.com", "ftp://push.example.com", "https://", "https://:8080", "https://a:0",
        "https://a:65536",
        "https://a:", "https://user@a", "https://a/b?c", "https://a/b#c", "https://a/ä", "https://a//b",
        "https://::1",
        "https://[::1", "https://a b", "//a",
    ])
    func `a public URL that an app could not use is refused`(text: String) {
        #expect(refusal(of: document("web", "publicUrl='\(text)'")) != nil, "\(text)")
    }

    @Test func `a certificate and a key together enable TLS`() throws {
        let web = try parsed(document("web", "certificateChain='c.pem' privateKey='/k.pem'")).get().settings
            .web
        #expect(web.tls == TLSFiles(certificateChain: "/etc/push/c.pem", privateKey: "/k.pem"))
        #expect(ServerConfiguration().web.tls == nil)
    }
}
