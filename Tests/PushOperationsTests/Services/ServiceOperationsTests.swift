import PushOperations
import Testing

struct ServiceOperationsTests {
    @Test func `a service is called by its name unless it is given a label`() throws {
        let instance = try TestInstance()
        #expect(try instance.operations.carryOut(CreateService(name: "b")).label == "b")
        #expect(try instance.operations.carryOut(CreateService(name: "a", label: "The first")).label == "The first")
        #expect(try instance.operations.carryOut(ListServices()).map(\.name) == ["a", "b"])
        #expect(try instance.operations.carryOut(ShowService(name: "a")).apps == [])
    }

    @Test func `a name is given once`() throws {
        let instance = try TestInstance.withApp()
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(CreateService(name: "neotrips", label: "Another"))
        }
        #expect(error?.kind == .refused)
        #expect(try instance.operations.carryOut(ShowService(name: "neotrips")).label == "neotrips")
    }

    @Test func `the answer to a slip of the pen names what there is`() throws {
        let instance = try TestInstance.withApp()
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(ShowService(name: "neotrip"))
        }
        #expect(error == .refused("there is no service neotrip; there are: neotrips"))
    }
}
