import PushConfig
import Testing

@Suite struct ProxyConfigurationTests {
    private func settings(_ proxyConfig: String, nmac: String = "useHTTPProxy='true'") throws
        -> ServerConfiguration
    {
        let text =
            "<serverConf><shared><proxyConfig \(proxyConfig)</proxyConfig></shared><nmac \(nmac)/></serverConf>"
        return try parsed(text).get().settings
    }
    private let both = """
        <proxyHTTP address='plain.example' port='3128'/>\
        <proxyHTTPS address='tls.example' port='3129' login='push' password='hunter2'/>
        """

    @Test func `gateways use the proxy that is set for encrypted connections`() throws {
        let proxy = try settings("enabled='true'>\(both)").gatewayProxy(forHost: "api.push.apple.com")
        #expect(proxy?.address == "tls.example" && proxy?.port == 3_129 && proxy?.login == "push")
        #expect(proxy?.password.reveal() == "hunter2")
    }

    @Test func `with useSingleProxy, gateways use the proxy that is set for plain connections`() throws {
        let proxy = try settings("enabled='true' useSingleProxy='true'>\(both)").gatewayProxy(
            forHost: "x.example")
        #expect(proxy?.address == "plain.example" && proxy?.password.isEmpty == true)
    }

    @Test func `gateways whose settings do not select the proxy connect directly`() throws {
        #expect(try settings("enabled='true'>\(both)", nmac: "").gatewayProxy(forHost: "x.example") == nil)
    }

    @Test func `hosts on the bypass list connect directly`() throws {
        let settings = try settings("enabled='true' override='localhost*; *.corp.example,10.?.0.*'>\(both)")
        #expect(settings.proxy.override == ["localhost*", "*.corp.example", "10.?.0.*"])
        for host in ["localhost", "localhost.localdomain", "LOCALHOST", "a.b.corp.example", "10.9.0.255"] {
            #expect(settings.gatewayProxy(forHost: host) == nil, "\(host)")
        }
        for host in ["my.localhost", "corp.example", "10.99.0.1", "x.corp.example.org", ""] {
            #expect(settings.gatewayProxy(forHost: host) != nil, "\(host)")
        }
    }

    @Test func `no text that the program prints contains the proxy's password`() throws {
        let element = "shared/proxyConfig/proxyHTTPS"
        let loaded = try parsed(document(element, "password='hunter2'")).get()
        var dumped = ""
        dump(loaded, to: &dumped)
        #expect(!dumped.contains("hunter2") && !"\(loaded)".contains("hunter2"))
        #expect(loaded.origins.first { $0.path == "\(element)/@password" }?.value == "(hidden)")
        let error = try #require(refusal(of: document(element, "password='hunter2$(x)'")))
        #expect(!error.description.contains("hunter2") && !error.description.contains("$(x)"))
    }
}
