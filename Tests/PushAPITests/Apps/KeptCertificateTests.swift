import PushAPI
import PushModel
import TestRequests
import Testing

/// Tests what an app's certificate allows, including after a later change that keeps the certificate.
struct KeptCertificateTests {
    private static func instance(
        _ kind: String, bundleID: String? = nil, connector: String = "iosHTTP2"
    ) throws -> (TestInstance, AppChange) {
        let instance = try TestInstance()
        _ = try instance.operations.carryOut(CreateService(name: "neotrips"))
        let change = try instance.operations.carryOut(
            CreateApp(
                name: "c1", service: "neotrips", platform: .ios, integrationKey: "key", connector: connector,
                bundleId: bundleID, credential: try .certificate(kind)))
        return (instance, change)
    }

    private static func refusal(_ update: UpdateApp, in instance: TestInstance) -> String? {
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(update) }
        #expect(error?.kind == .refused)
        return error?.description
    }

    @Test(arguments: ["iosHTTP2", "ios"])
    func `a stored certificate that is valid for one environment is refused in the other`(connector: String)
        throws
    {
        let (instance, _) = try Self.instance("production", connector: connector)
        let told = Self.refusal(UpdateApp(name: "c1", environment: .sandbox), in: instance)
        #expect(told?.contains("the app's certificate is valid only for production") == true)
        #expect(told?.contains("--environment production") == true)
        // The stub does not present the certificate, so the app can be in any environment, but it cannot
        // leave the stub for a connector that the certificate does not fit.
        _ = try instance.operations.carryOut(
            UpdateApp(name: "c1", environment: .sandbox, connector: "stub"))
        let back = Self.refusal(UpdateApp(name: "c1", connector: connector), in: instance)
        #expect(back?.contains("valid only for production") == true)
        #expect(try instance.operations.carryOut(ShowApp(name: "c1")).app.connector == .stub)
        // The change is accepted with another certificate, or if it sets the environment of the certificate.
        _ = try instance.operations.carryOut(
            UpdateApp(name: "c1", environment: .production, connector: connector))
        let both = try CredentialFile.certificate()
        _ = try instance.operations.carryOut(
            UpdateApp(name: "c1", environment: .sandbox, credential: both))
        #expect(try instance.operations.carryOut(ShowApp(name: "c1")).app.environment == .sandbox)
        // A change that does not concern the certificate is made as usual.
        _ = try instance.operations.carryOut(UpdateApp(name: "c1", label: "Shop"))
    }

    @Test
    func `an app with a VoIP certificate never has the suffix in its bundle id, however the id was set`()
        throws
    {
        let topic = "com.example.neotrips.voip"
        let (instance, created) = try Self.instance("voip", bundleID: topic)
        #expect(created.app.bundleId == "com.example.neotrips")
        #expect(created.warnings.count == 1 && created.warnings[0].contains("sending adds .voip"))
        let updated = try instance.operations.carryOut(UpdateApp(name: "c1", bundleId: topic))
        #expect(updated.app.bundleId == "com.example.neotrips" && updated.warnings == created.warnings)
        let other = try instance.operations.carryOut(UpdateApp(name: "c1", bundleId: "com.example.other"))
        #expect(other.app.bundleId == "com.example.other")
        #expect(other.warnings.count == 1 && other.warnings[0].contains("the certificate is for"))
        // The bundle id is set first, and the certificate is added later.
        _ = try instance.operations.carryOut(UpdateApp(name: "c1", credential: try .certificate()))
        _ = try instance.operations.carryOut(UpdateApp(name: "c1", bundleId: topic))
        #expect(try instance.operations.carryOut(ShowApp(name: "c1")).app.bundleId == topic)
        let late = try instance.operations.carryOut(
            UpdateApp(name: "c1", credential: try .certificate("voip")))
        #expect(late.app.bundleId == "com.example.neotrips")
    }
}
