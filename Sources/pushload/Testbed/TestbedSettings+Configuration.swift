/// What the engine is told.
extension TestbedSettings {
    /// What `dbcnx` says of a store on PostgreSQL.
    /// - Parameters:
    ///   - server: the folder of its socket, or where it can be reached.
    ///   - instanceFolder: of the host.
    static func place(server: String, instanceFolder: String) -> String {
        "<dbcnx provider=\"PostgreSQL\" server=\"\(server)\" login=\"postgres:\(Testbed.database)\""
            + " instanceFolder=\"\(instanceFolder)\"/>"
    }

    static let placeInAFile = #"<dbcnx provider="SQLite" server="var/pushmta.db"/>"#

    /// The text of serverConf.xml. `authority` is the PEM file of whoever vouches for the gateways, `place` where the
    /// store is.
    func configuration(ports: Testbed.GatewayPorts, authority: String, place: String) -> String {
        let fcm = """
            <fcm address="127.0.0.1" port="\(ports.fcm)" trustedCertsChain="\(authority)"
                 tokenAddress="127.0.0.1" tokenPort="\(ports.oauth)" messagesPerMinute="\(messagesPerMinute)"
                 rampUpSec="\(rampUpSeconds)" requestTimeoutSec="\(requestTimeoutSeconds)"/>
            """
        let old = """
            <iosBinary gateway="127.0.0.1" gatewayPort="\(ports.binary)" feedback="127.0.0.1"
                 feedbackPort="\(ports.feedback)" feedbackPeriodSec="\(binary.feedbackPeriodSeconds)"
                 confirmAfterSec="\(binary.confirmAfterSeconds)" unconfirmedFrames="\(binary.unconfirmedFrames)"
                 trustedCertsChain="\(authority)"/>
            """
        let calendar = retry.map {
            "<retry count=\"\($0.count)\" period=\"\($0.period)\" minimumDelays=\"\($0.minimumDelays)\"/>"
        }
        let retention = retentionDays.map { " retentionDays=\"\($0)\"" } ?? ""
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <serverConf>
              <shared><dataStore><dataSource name="default">
                \(place)
              </dataSource></dataStore></shared>
              <mta autoStart="true" logLevel="\(logLevel)" deliveryLog="\(deliveryLog ?? "")" retryLostMessages="true" verifyMode="\(verifyMode)"
                   workingPath="var/mta">
                <master startSpareServers="\(childrenAtStart)" minSpareServers="0" maxSpareServers="\(children)"
                        dataBasePoolPeriodSec="\(pollSeconds)"/>
                <child maxWaitingMessages="\(capacity)" idleChildTimeoutSec="\(idleChildSeconds)"
                       maxGCMConnectPerChild="\(parallelRequests)"/>
              </mta>
              <nmac useHTTPProxy="false"\(retention)>
                <relay address="127.0.0.1" port="\(ports.apns)" trustedCertsChain="\(authority)"/>
                <iosHTTP2 connectionsPerChild="\(connectionsPerChild)" requestTimeoutSec="\(requestTimeoutSeconds)"/>
                \(gateway.binary == nil ? "" : old)
                \(gateway.fcm == nil ? "" : fcm)
                \(calendar ?? "")
              </nmac>
              <web autoStart="\(web)" bind="127.0.0.1" httpPort="\(keepsWebPort ? ports.web : 0)" \(webAttributes)/>
              <trackinglogd autoStart="\(web)"/>
            </serverConf>

            """
    }
}
