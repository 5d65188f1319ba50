import PushAPI
import PushModel
import TestRequests
import Testing

struct ServiceOperationsTests {
    @Test func `a service's label defaults to its name`() throws {
        let instance = try TestInstance()
        #expect(try instance.operations.carryOut(CreateService(name: "b")).label == "b")
        #expect(
            try instance.operations.carryOut(CreateService(name: "a", label: "The first")).label
                == "The first")
        #expect(try instance.operations.carryOut(ListServices()).map(\.name) == ["a", "b"])
        #expect(try instance.operations.carryOut(ShowService(name: "a")).apps == [])
    }

    @Test func `a duplicate name is refused`() throws {
        let instance = try TestInstance.withApp()
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(CreateService(name: "neotrips", label: "Another"))
        }
        #expect(error?.kind == .conflict)
        #expect(try instance.operations.carryOut(ShowService(name: "neotrips")).label == "neotrips")
    }

    @Test func `a misspelled service name is refused, and the error names the existing services`() throws {
        let instance = try TestInstance.withApp()
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(ShowService(name: "neotrip"))
        }
        #expect(error == .absent("there is no service neotrip; existing services: neotrips"))
    }

    @Test func `a service without apps can be deleted, its name becomes available, and its logs remain`()
        throws
    {
        let instance = try TestInstance.withApp()
        #expect(
            try instance.operations.carryOut(UpdateService(name: "neotrips", label: "New")).label == "New")
        let refused = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(DeleteService(name: "neotrips"))
        }
        #expect(refused?.kind == .conflict)
        try instance.subscribe(2)
        let id = try instance.operations.carryOut(try TestInstance.submission()).id
        try instance.refuse(id)
        _ = try instance.operations.carryOut(DeleteApp(name: "ios"))
        _ = try instance.operations.carryOut(DeleteService(name: "neotrips"))
        #expect(try instance.operations.carryOut(ListServices()).isEmpty)
        var rows = 0
        try ReadDeliveryLog(id: id).perform(in: instance.operations) { rows += $0.count }
        #expect(rows == 2)
        #expect(try instance.operations.carryOut(CreateService(name: "neotrips")).apps.isEmpty)
        _ = try instance.operations.carryOut(DeleteService(name: "neotrips"))
        let absent = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(UpdateService(name: "neotrips", label: "x"))
        }
        #expect(absent?.kind == .absent)
    }

    @Test func `a frequency cap is set, shown, changed and removed`() throws {
        let instance = try TestInstance()
        let made = try instance.operations.carryOut(
            CreateService(name: "a") { $0.frequencyCap = FrequencyCap("3 in 168h") })
        #expect(made.frequencyCap == "3 in 7d" && made.label == "a")
        #expect(try instance.operations.carryOut(CreateService(name: "b")).frequencyCap == nil)
        #expect(try instance.operations.carryOut(ListServices()).map(\.frequencyCap) == ["3 in 7d", nil])
        func update(_ label: String?, _ cap: FrequencyCap?? = nil) throws -> ServiceView {
            try instance.operations.carryOut(
                UpdateService(name: "a", label: label) { $0.set(\.frequencyCap, to: cap) })
        }
        #expect(try update("A").frequencyCap == "3 in 7d")
        #expect(try update(nil, FrequencyCap("1 in 1d")).label == "A")
        #expect(try instance.operations.carryOut(ShowService(name: "a")).frequencyCap == "1 in 1d")
        #expect(try update(nil, .some(nil)).frequencyCap == nil)
        // An update without changes succeeds.
        #expect(try update(nil).label == "A")
        let error = #expect(throws: OperationError.self) { try update("B\nat most 3 in 7d") }
        #expect(error?.kind == .refused)
        let shown = try instance.operations.carryOut(ShowService(name: "a"))
        #expect(shown.label == "A" && shown.frequencyCap == nil)
        #expect(try instance.operations.carryOut(ListServices()).count == 2)
    }
}
