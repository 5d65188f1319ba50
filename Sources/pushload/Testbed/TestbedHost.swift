/// One of several hosts on a testbed's database: an instance folder, a way to the database that can be cut, and a
/// gateway of its own, so that the log that has a request says which host sent it.
package final class TestbedHost {
    /// From 1.
    package let number: Int
    /// As the store has it.
    package let id: String
    package let proxy: DatabaseProxy
    package let gatewayLog: String
    package let fcmLog: String?
    /// Its serverConf.xml.
    let configuration: String
    let gateway: RunningProcess

    /// What it is started with; nil: the program that the testbed asks, too.
    var program: String?
    /// The master that was started last.
    package internal(set) var process: RunningProcess?
    package internal(set) var logs: [String] = []

    init(
        _ number: Int, id: String, configuration: String, proxy: DatabaseProxy,
        gateway: (process: RunningProcess, log: String, fcmLog: String?)
    ) {
        (self.number, self.id, self.configuration, self.proxy) = (number, id, configuration, proxy)
        (self.gateway, gatewayLog, fcmLog) = (gateway.process, gateway.log, gateway.fcmLog)
    }

    package var log: String { logs.map { Folder.text($0) }.joined() }

    /// Every request of this host that ended at its gateway, which must have been stopped.
    package func requests() throws -> [GatewayRequest] {
        try GatewayRequest.read(gatewayLog) + (fcmLog.map { try GatewayRequest.read($0) } ?? [])
    }
}
