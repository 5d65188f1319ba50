import PushAPI
import PushModel
import PushStore
import TestRequests
import Testing

struct CallerBoundsTests {
    @Test func `every operation declares what it concerns`() {
        for type in UseCases.all {
            for operation in type.operations {
                #expect(
                    operation.reach != nil,
                    "\(type.name): add reach: .services or .instance to \(operation.path)")
                #expect(operation.reach == .instance || !operation.isLocal, "\(type.name)")
            }
        }
    }

    @Test func `operations that concern the whole instance are refused to bound callers`() throws {
        let instance = try TestInstance.withApp()
        let service = try #require(try instance.store.catalogue.service(named: "neotrips")).id
        let bound = instance.operations.with(caller: "marketer", bounds: ServiceBounds([service]))
        for type in UseCases.all {
            for operation in type.operations where operation.reach != .services {
                let error = failure { () throws(OperationError) in try bound.admit(operation, [:]) }
                #expect(error?.kind == .forbidden, "\(type.name)")
                #expect(error?.lines.first?.contains("marketer is bound to services") == true)
            }
        }
        try instance.operations.admit(PurgeStore.operation, [:])
    }

    @Test func `a request is admitted if its address names an object of the caller's services`() throws {
        let instance = try TestInstance.withApp()
        _ = try instance.operations.carryOut(CreateService(name: "other"))
        _ = try instance.operations.carryOut(TestInstance.stubApp("other-ios", service: "other"))
        let service = try #require(try instance.store.catalogue.service(named: "neotrips")).id
        let delivery = try instance.operations.carryOut(TestInstance.submission()).id
        let own = instance.operations.with(bounds: ServiceBounds([service]))
        let none = instance.operations.with(bounds: ServiceBounds([]))
        try own.admit(ShowService(name: "neotrips"))
        try own.admit(ShowApp(name: "ios"))
        try own.admit(ShowDelivery(id: delivery))
        try own.admit(ListDeliveries())
        try instance.operations.admit(ShowApp(name: "other-ios"))
        for (error, text) in [
            (failure { () throws(OperationError) in try own.admit(ShowService(name: "other")) }, "neotrips"),
            (failure { () throws(OperationError) in try own.admit(ShowApp(name: "other-ios")) }, "apps: ios"),
            (failure { () throws(OperationError) in try none.admit(ShowDelivery(id: delivery)) }, "delivery"),
            (
                failure { () throws(OperationError) in try none.admit(PauseDelivery(id: delivery)) },
                "delivery"
            ),
        ] {
            #expect(error?.kind == .absent && error?.lines.first?.contains(text) == true)
        }
        // The use cases themselves find nothing else either.
        #expect(try own.carryOut(ListServices()).map(\.name) == ["neotrips"])
        #expect(try own.carryOut(ListApps()).map(\.name) == ["ios"])
        #expect(try none.carryOut(ListDeliveries()).items.isEmpty)
        #expect(try own.carryOut(ListDeliveries()).items.map(\.id) == [delivery])
    }

    @Test func `a token is bound to services that exist, and its audit line names them`() throws {
        let instance = try TestInstance.withApp()
        let operations = instance.operations
        let made = try operations.carryOut(
            CreateAccessToken(name: "shop", scopes: [.read], services: ["neotrips", "neotrips"]))
        #expect(made.grant.services == ["neotrips"])
        let service = try #require(try instance.store.catalogue.service(named: "neotrips")).id
        let rights = try operations.carryOut(CheckAccess(token: made.token))
        #expect(rights?.bounds == ServiceBounds([service]))
        #expect(try operations.carryOut(ListAccessTokens()) == [made.grant])
        #expect(
            try operations.carryOut(ReadAudit()).items.first?.what == "shop: read of services neotrips")
        for (services, kind) in [([], OperationError.Kind.refused), (["none"], .absent)] {
            let error = failure { () throws(OperationError) in
                _ = try operations.carryOut(
                    CreateAccessToken(name: "x", scopes: [.read], services: services))
            }
            #expect(error?.kind == kind)
        }
    }
}
