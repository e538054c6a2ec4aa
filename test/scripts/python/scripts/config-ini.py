# input: "[server]\nport = 80\ntls = yes\nhost = x\nurl = http://%(host)s:%(port)s\n"
import configparser, io, sys
config = configparser.ConfigParser()
config.read_string(sys.stdin.read())
print(config.sections(), config.getint("server", "port"), config["server"].getboolean("tls"), config.get("server", "url"))
