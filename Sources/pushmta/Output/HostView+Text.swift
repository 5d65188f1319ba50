internal import PushModel
internal import PushOperations

extension HostView {
    /// As `host list` and `status` show them.
    static func table(_ hosts: [HostView]) -> TextTable {
        var table = TextTable(
            [
                "NAME", "STATE", "SILENT", "PARTS", "UNRECORDED", "PER SECOND", "GENERATION", "SINCE",
                "RELEASE",
                "ID",
            ], numeric: ["SILENT", "PARTS", "UNRECORDED", "PER SECOND", "GENERATION"])
        for host in hosts {
            table.append([
                host.name.printable(atMost: 100) + (host.isThis ? " *" : ""), host.state,
                "\(host.silentSeconds)", "\(host.parts)", "\(host.unrecorded)",
                "\(host.answersPerSecond)", "\(host.generation)", host.since.utcText,
                host.release.printable(atMost: 100), host.id.printable(atMost: 64),
            ])
        }
        return table
    }
}
