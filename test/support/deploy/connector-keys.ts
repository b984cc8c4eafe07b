/** Lists the settings of Kafka Connect sinks, taken from their public documentation. */

/** Settings of every sink, including those of its converters and its consumer. */
export const sinkKeys: readonly string[] = [
  ...['connector.class', 'tasks.max', 'topics'],
  ...['key.converter', 'value.converter', 'value.converter.schema.registry.url'],
  'value.converter.value.subject.name.strategy',
  ...['consumer.override.auto.offset.reset', 'consumer.override.isolation.level'],
  ...['errors.tolerance', 'errors.log.enable', 'errors.log.include.messages'],
  ...['errors.retry.timeout', 'errors.deadletterqueue.topic.name'],
  'errors.deadletterqueue.topic.replication.factor',
  'errors.deadletterqueue.context.headers.enable'
]

/** Additional and required settings by connector class. */
export const connectorKeys: Readonly<
  Record<string, { readonly known: readonly string[]; readonly required: readonly string[] }>
> = {
  // Source: "Configuration Reference for Amazon S3 Sink Connector for Confluent Platform".
  'io.confluent.connect.s3.S3SinkConnector': {
    known: [
      ...['storage.class', 's3.region', 's3.bucket.name', 's3.part.size', 'topics.dir'],
      ...['format.class', 'parquet.codec', 'partitioner.class', 'path.format', 'locale'],
      ...['partition.duration.ms', 'timezone', 'timestamp.extractor', 'timestamp.field'],
      ...['flush.size', 'rotate.interval.ms', 'rotate.schedule.interval.ms'],
      'schema.compatibility'
    ],
    required: ['storage.class', 's3.bucket.name', 'format.class', 'flush.size']
  },
  // Source: Apache Iceberg, "Kafka Connect".
  'org.apache.iceberg.connect.IcebergSinkConnector': {
    known: [
      ...['iceberg.tables', 'iceberg.tables.auto-create-enabled'],
      ...['iceberg.tables.evolve-schema-enabled', 'iceberg.tables.default-partition-by'],
      ...['iceberg.tables.default-id-columns', 'iceberg.tables.schema-force-optional'],
      ...['iceberg.control.topic', 'iceberg.control.commit.interval-ms'],
      ...['iceberg.catalog.type', 'iceberg.catalog.uri', 'iceberg.catalog.warehouse'],
      ...['iceberg.catalog.credential', 'iceberg.catalog.io-impl']
    ],
    required: ['iceberg.tables', 'iceberg.catalog.type', 'iceberg.catalog.uri']
  },
  // Source: ClickHouse, "ClickHouse Kafka Connect Sink".
  'com.clickhouse.kafka.connect.ClickHouseSinkConnector': {
    known: [
      ...['hostname', 'port', 'ssl', 'database', 'username', 'password', 'exactlyOnce'],
      ...['topic2TableMap', 'clickhouseSettings', 'jdbcConnectionProperties'],
      ...['tableRefreshInterval', 'ignorePartitionsWhenBatching', 'keeperOnCluster']
    ],
    required: ['hostname', 'password']
  },
  // Source: Kafka Connect BigQuery Connector, "Configuration".
  'com.wepay.kafka.connect.bigquery.BigQuerySinkConnector': {
    known: [
      ...['project', 'defaultDataset', 'keySource', 'keyfile', 'topic2TableMap'],
      ...['autoCreateTables', 'allowNewBigQueryFields', 'timestampPartitionFieldName'],
      ...['allowBigQueryRequiredFieldRelaxation', 'clusteringPartitionFieldNames'],
      ...['bigQueryPartitionDecorator', 'bigQueryRetry', 'bigQueryRetryWait'],
      ...['useStorageWriteApi', 'sanitizeTopics']
    ],
    required: ['project', 'defaultDataset']
  }
}
